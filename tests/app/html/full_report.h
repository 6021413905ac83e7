// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace graphloom::test {

/// A report that has every section.
inline nlohmann::ordered_json fullReport()
{
    return nlohmann::ordered_json::parse(R"({
      "schema": 1,
      "model": {"hash": "12ab", "nodes": 5, "operators": {"Conv": 2, "<b>": 1}, "opaque_nodes": 0,
                "parameters": 10, "macs": 100, "opset": 17, "provenance": "modelled"},
      "passes": [{"name": "ago", "seconds": 0.5, "provenance": "host", "settings": {"threshold": 3},
                  "summary": {"subgraphs": 2}}],
      "partition": {"method": "ago", "subgraphs": 2, "weights": [3, 900], "mean": 4, "median": 3,
                    "jain": 0.5, "trivial": 1, "acyclic": true,
                    "baseline": {"method": "relay-like", "subgraphs": 3, "weights": [1, 2, 3],
                                 "mean": 1, "median": 1, "jain": 0.4, "trivial": 2, "acyclic": true}},
      "rewrite": {"strategy": "greedy", "flops_before": 10, "flops_after": 8,
                  "provenance": "modelled", "applied": [{"rule": "r", "count": 1, "flops_saved": 2}],
                  "steps": [{"rule": "r", "category": "c", "where": "node \"a\"", "flops_saved": 2}]},
      "fusion": {"method": "dnnfusion", "layers_before": 5, "layers_after": 2, "fusion_rate": 2.5,
                 "irs_bytes_before": 4096, "irs_bytes_after": 1024, "modelled_ms": 0.25,
                 "device": "phone-cpu", "provenance": "modelled",
                 "blocks": [{"nodes": ["a", "b"], "operators": ["Conv", "Relu"],
                             "mapping": "Many-to-Many", "pattern": null, "removed_bytes": 64,
                             "borders": [{"reason": "because"}]}]},
      "memory": {"device": "gpu", "peak_bytes_before": 2048, "peak_bytes_after": 1024, "ratio": 0.5,
                 "arena_bytes": 1100, "latency_ms_before": 2.0, "latency_ms_after": 2.2,
                 "limits_met": true, "recomputed": 1, "swapped": 0, "realized": false,
                 "unrealized": "swaps cannot be nodes", "provenance": "modelled",
                 "baselines": [{"name": "micro-batching",
                                "points": [{"latency_ms": 3.0, "peak_bytes": 1500}]}],
                 "timeline_before": [{"node": "a", "start_ms": 0, "ms": 1, "bytes": 2048},
                                     {"node": "b", "start_ms": 1, "ms": 1, "bytes": 512}],
                 "timeline": [{"node": "a", "start_ms": 0, "ms": 2.2, "bytes": 1024}]},
      "fission": {"tree": [{"dimension": "h", "nodes": 2, "first": "a", "last": "b",
                            "parent": null, "parts": 2, "most_parts": 4}]},
      "pareto": [{"latency_ms": 2.2, "peak_bytes": 1024, "latency_ratio": 1.1, "peak_ratio": 0.5,
                  "provenance": "modelled", "plan": "search"}],
      "search": {"states_generated": 9, "states_filtered": 1, "states_scheduled": 8, "seconds": 1.5,
                 "states_per_second": 6, "exhausted": false,
                 "best_history": [{"seconds": 0.1, "cost": 5}, {"seconds": 0.6, "cost": 4}]},
      "latency": {"before_ms": 3, "after_ms": 2, "ratio": 0.67, "runs": 5, "provenance": "host",
                  "target": "host", "device": "cpu", "threads": 2,
                  "before": {"min_ms": 2, "median_ms": 3, "p95_ms": 4, "noise": 0.1},
                  "after": {"min_ms": 1, "median_ms": 2, "p95_ms": 3, "noise": 0.1}},
      "kernels": [{"name": "y = x", "block": 0, "flops": 8, "bytes": 64, "interpreted": null,
                   "ms": 0.5, "gflops": 1, "gb_per_s": 2, "provenance": "host"}],
      "verify": {"passed": true, "max_abs_error": 1e-6, "max_rel_error": null, "tolerance": 1e-4},
      "test_data": [{"folder": "set/0", "passed": false, "max_abs_error": 1, "max_rel_error": 2,
                     "tolerance": 0.001, "message": "output \"y\" differs"}],
      "comparison": [{"metric": "fusion.layers_after", "better": "less", "before": 1, "now": 2,
                      "change": 1.0, "tolerance": 0, "tolerance_relative": false,
                      "outcome": "worse"}],
      "environment": {"cpu": "Abacus", "threads": 2, "compiler": "GCC", "device": "host"}
    })");
}

} // namespace graphloom::test
