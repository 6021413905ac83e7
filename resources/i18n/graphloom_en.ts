<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US">
<context>
    <name>Format</name>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n node</numerusform>
            <numerusform>%n nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n operators</source>
        <translation>
            <numerusform>%n operator</numerusform>
            <numerusform>%n operators</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Pareto</name>
    <message numerus="yes">
        <source>%1, %n thread(s)</source>
        <translation>
            <numerusform>%1, %n thread</numerusform>
            <numerusform>%1, %n threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::Breadcrumbs</name>
    <message numerus="yes">
        <source>%n nested graphs</source>
        <translation>
            <numerusform>%n nested graph</numerusform>
            <numerusform>%n nested graphs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::DeviceQueue</name>
    <message numerus="yes">
        <source>Median %1 ms of %n run(s) (%2)</source>
        <translation>
            <numerusform>Median %1 ms of %n run (%2)</numerusform>
            <numerusform>Median %1 ms of %n runs (%2)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::DocumentDialogs</name>
    <message numerus="yes">
        <source>%n run(s) are still in progress.</source>
        <translation>
            <numerusform>%n run is still in progress.</numerusform>
            <numerusform>%n runs are still in progress.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::FissionActions</name>
    <message numerus="yes">
        <source>%n part(s)</source>
        <translation>
            <numerusform>%n part</numerusform>
            <numerusform>%n parts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::JobStatus</name>
    <message numerus="yes">
        <source>%n tasks</source>
        <translation>
            <numerusform>%n task</numerusform>
            <numerusform>%n tasks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::Legend</name>
    <message numerus="yes">
        <source>%n blocks</source>
        <translation>
            <numerusform>%n block</numerusform>
            <numerusform>%n blocks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::MachineCodeView</name>
    <message numerus="yes">
        <source>Loop of %n instruction(s)</source>
        <translation>
            <numerusform>Loop of %n instruction</numerusform>
            <numerusform>Loop of %n instructions</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %n multiply-add(s) of vectors</source>
        <translation>
            <numerusform>, %n multiply-add of vectors</numerusform>
            <numerusform>, %n multiply-adds of vectors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %n spill(s)</source>
        <translation>
            <numerusform>, %n spill</numerusform>
            <numerusform>, %n spills</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n instruction(s)</source>
        <translation>
            <numerusform>%n instruction</numerusform>
            <numerusform>%n instructions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::MemoryView</name>
    <message numerus="yes">
        <source>live from step %1 to %2 (%n step(s))</source>
        <translation>
            <numerusform>live from step %1 to %2 (%n step)</numerusform>
            <numerusform>live from step %1 to %2 (%n steps)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s) too small to be visible: zoom in</source>
        <translation>
            <numerusform>%n tensor too small to be visible: zoom in</numerusform>
            <numerusform>%n tensors too small to be visible: zoom in</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::ParetoPanel</name>
    <message numerus="yes">
        <source>Show %n slower plan(s)</source>
        <translation>
            <numerusform>Show %n slower plan</numerusform>
            <numerusform>Show %n slower plans</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>&lt;b&gt;%n Pareto-optimal plan(s)&lt;/b&gt; · current plan: peak %1, &lt;b&gt;× %2&lt;/b&gt;, latency %3 ms, &lt;b&gt;× %4&lt;/b&gt;, × %5 of the rewritten graph&apos;s (modelled, %6)</source>
        <translation>
            <numerusform>&lt;b&gt;%n Pareto-optimal plan&lt;/b&gt; · current plan: peak %1, &lt;b&gt;× %2&lt;/b&gt;, latency %3 ms, &lt;b&gt;× %4&lt;/b&gt;, × %5 of the rewritten graph&apos;s (modelled, %6)</numerusform>
            <numerusform>&lt;b&gt;%n Pareto-optimal plans&lt;/b&gt; · current plan: peak %1, &lt;b&gt;× %2&lt;/b&gt;, latency %3 ms, &lt;b&gt;× %4&lt;/b&gt;, × %5 of the rewritten graph&apos;s (modelled, %6)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>&lt;b&gt;%n measured run(s)&lt;/b&gt; on %1, with their spread</source>
        <translation>
            <numerusform>&lt;b&gt;%n measured run&lt;/b&gt; on %1, with their spread</numerusform>
            <numerusform>&lt;b&gt;%n measured runs&lt;/b&gt; on %1, with their spread</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n device(s)</source>
        <translation>
            <numerusform>%n device</numerusform>
            <numerusform>%n devices</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::SearchBar</name>
    <message numerus="yes">
        <source>%n matches</source>
        <translation>
            <numerusform>%n match</numerusform>
            <numerusform>%n matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::VerificationController</name>
    <message numerus="yes">
        <source>Not enough disk space for a temporary file: the values of %n tensor(s) were discarded</source>
        <translation>
            <numerusform>Not enough disk space for a temporary file: the values of %n tensor were discarded</numerusform>
            <numerusform>Not enough disk space for a temporary file: the values of %n tensors were discarded</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The model has no data for %n weight(s), which are filled with a single value: results are not those of a trained model</source>
        <translation>
            <numerusform>The model has no data for %n weight, which is filled with a single value: results are not those of a trained model</numerusform>
            <numerusform>The model has no data for %n weights, which are filled with a single value: results are not those of a trained model</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>graphloom::VerificationPanel</name>
    <message numerus="yes">
        <source> · %n weight(s) filled with random elements, as the model has none</source>
        <translation>
            <numerusform> · %n weight filled with random elements, as the model has none</numerusform>
            <numerusform> · %n weights filled with random elements, as the model has none</numerusform>
        </translation>
    </message>
</context>
</TS>
