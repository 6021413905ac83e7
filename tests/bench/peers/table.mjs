// SPDX-License-Identifier: Apache-2.0
// Statistics of peers.mjs and how they are printed.

const noisy = 1.25; // a median that is so many times the least is marked

/** Least, median and 95th percentile of milliseconds. */
export function statistics(times) {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
    return { min: sorted[0], median: at(0.5), p95: at(0.95) };
}

const columns = [
    ['model', -22], ['threads', 7], ['runner', -11], ['min ms', 9], ['median', 9], ['p95', 9], ['ratio min', 9],
    ['median', 7], ['load ms', 8], ['first ms', 8], ['peak MB', 8], ['differs', 8],
];
const line = (texts) => columns.map(([, width], i) =>
    (width < 0 ? texts[i].padEnd(-width) : texts[i].padStart(width))).join(' ').trimEnd();
const fixed = (value, digits) => (value === undefined ? '-' : value.toFixed(digits));

export const header = () => line(columns.map(([title]) => title));

/** One line for each runner; one that failed has its reason there. */
export function rowsOf(model, threads, cells, baseName) {
    const base = cells.find((cell) => cell.name === baseName && cell.min);
    return cells.map((cell) => {
        const start = [model, String(threads), cell.name];
        if (cell.reason)
            return `${line([...start, ...Array(columns.length - 3).fill('')])}  FAILED: ${cell.reason}`;
        return line([...start, fixed(cell.min, 3), fixed(cell.median, 3), fixed(cell.p95, 3),
            fixed(base && cell.min / base.min, 3), fixed(base && cell.median / base.median, 3),
            fixed(cell.about.load_ms, 0), fixed(cell.about.first_run_ms, 1), fixed(cell.rss_mb, 0),
            cell.difference.toExponential(1)]) + (cell.median > noisy * cell.min ? '  noisy' : '') +
            (cell.differs ? '  OUTPUTS DIFFER' : '');
    });
}

/** For each number of threads and runner: geometric means of the ratios and the least one; then how
 *  many runners failed. */
export function geometricMeans(results, { threads, runners, base }) {
    const texts = [];
    for (const count of threads)
        for (const name of runners.filter((runner) => runner !== base)) {
            const ratios = [];
            for (const { model, threads: own, cells } of results) {
                const [mine, theirs] = [base, name].map((wanted) =>
                    cells.find((cell) => cell.name === wanted && cell.min));
                if (own === count && mine && theirs)
                    ratios.push({ model, min: theirs.min / mine.min, median: theirs.median / mine.median });
            }
            if (ratios.length === 0) continue;
            const mean = (key) =>
                Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio[key]), 0) / ratios.length).toFixed(3);
            const worst = ratios.reduce((a, b) => (b.median < a.median ? b : a));
            texts.push(`${count} threads, ${name} / ${base}: geometric mean ${mean('min')} by min, ` +
                `${mean('median')} by median; worst ${worst.model}: ${worst.median.toFixed(3)}; ` +
                `${ratios.length} models`);
        }
    const failed = results.flatMap(({ cells }) => cells).filter((cell) => cell.reason).length;
    return failed ? [...texts, `${failed} failed`] : texts;
}
