// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace graphloom {

/// Holds the style sheet of the page: light, or dark if the reader prefers it. The contrast of text
/// is 4.5 or more.
inline constexpr const char *htmlStyle = R"(
:root{color-scheme:light dark;--ground:#ffffff;--panel:#f4f5f7;--text:#1b1f24;--dim:#545d68;
--line:#d0d4da;--link:#0b57d0;--good:#176b2c;--bad:#b3261e}
@media screen and (prefers-color-scheme:dark){:root{--ground:#15181d;--panel:#1f242b;--text:#e6e9ed;
--dim:#a3adb9;--line:#3a424d;--link:#8ab4f8;--good:#7bd88f;--bad:#ff8f87}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);
font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
header,main,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.5rem}
h1{font-size:1.6rem;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.2rem 0 .6rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
a{color:var(--link)}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1rem;list-style:none;padding:0;margin:.8rem 0}
.status{font-weight:600}.status.good{color:var(--good)}.status.bad{color:var(--bad)}
.dim,footer{color:var(--dim)}footer{padding-bottom:2rem;margin-top:2rem}
.scroll{overflow-x:auto;margin:.6rem 0 1rem}
.scroll:focus-visible,.drawing:focus-visible,summary:focus-visible,a:focus-visible,
input:focus-visible{
outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.9rem}
caption{text-align:left;white-space:nowrap;font-weight:600;padding:.2rem 0 .4rem}
th,td{text-align:left;vertical-align:top;padding:.28rem .7rem;border-bottom:1px solid var(--line);
max-width:34rem;overflow-wrap:anywhere}
thead th{background:var(--panel);white-space:nowrap}tbody th{font-weight:500}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tbody tr:hover{background:var(--panel)}
details{margin:.6rem 0;border:1px solid var(--line);border-radius:6px;padding:.4rem .8rem}
summary{cursor:pointer;font-weight:600}
figure{margin:1rem 0}figcaption{color:var(--dim);font-size:.9rem;margin-top:.3rem}
.drawing{border:1px solid var(--line);border-radius:6px;overflow:auto;max-height:80vh}
.drawing svg{display:block;width:100%;height:auto;max-height:78vh}
input:checked~.drawing svg{width:auto;max-height:none}
figure label{font-size:.9rem;margin-left:.3rem}
.chart{max-width:66rem;overflow-x:auto}.chart svg{display:block;width:100%;height:auto}
)";

} // namespace graphloom
