#include "bench/html.h"

#include "base/write.h"

#include <algorithm>

namespace deepperf::bench {

namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#fbfbfa;--card:#fff;--ink:#1d2329;--soft:#59636e;--line:#d8dce1;--buggy:#c8641b;--fixed:#23805a;
--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--page:#14171a;--card:#1c2024;--ink:#e6e9ec;--soft:#9aa4ae;--line:#333a41;--buggy:#eba45c;
--fixed:#5cc294;--bad:#ef8d86}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:62rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:0;overflow-wrap:anywhere}
p{margin:.2rem 0}
.soft{color:var(--soft);font-size:.9rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:1.25rem 0 0}
.facts div,article{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.75rem 1rem}
.facts b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}
.facts span{color:var(--soft);font-size:.85rem}
article{margin:.75rem 0}
article header{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:baseline;justify-content:space-between}
.figure{font-weight:600;font-variant-numeric:tabular-nums}
.failed{color:var(--bad)}
.bars{display:grid;grid-template-columns:auto 1fr auto;gap:.25rem .75rem;align-items:center;margin:.6rem 0;
font-size:.9rem;font-variant-numeric:tabular-nums}
.bar{height:.8rem;border-radius:3px;min-width:2px}
.bar.buggy{background:var(--buggy)}.bar.fixed{background:var(--fixed)}
.range{position:relative;height:.8rem;margin:.4rem 0 .2rem;border-bottom:1px solid var(--line)}
code{font-size:.9em}
.wide{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.25rem .5rem}
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .5rem;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600}
tr:last-child td{border-bottom:0}
th:first-child,td:first-child,.text{text-align:left}
td:first-child{min-width:11rem}
.counts td:first-child{width:50%}
.facts+p{margin-top:.75rem}
@media (max-width:32rem){table{font-size:.8rem}th,td{padding:.3rem .2rem}td:first-child{min-width:7rem}}
@media print{article{break-inside:avoid}}
)";

} // namespace

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

void write_bar(std::string_view label, std::string_view side, double value, double largest, std::string_view shown,
               std::string &out) {
  const double percent = largest > 0 ? std::max(value / largest * 100, 0.3) : 0;
  write(out, "<span>{}</span><div><div class=\"bar {}\" style=\"width:{:.2f}%\"></div></div><span>{}</span>\n",
        escape(label), side, percent, escape(shown));
}

void begin_page(std::string_view title, std::string &out) {
  write(out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
        "<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
        escape(title), kStyle);
}

void end_page(std::string &out) { out += "</main>\n</body>\n</html>\n"; }

} // namespace deepperf::bench
