// SPDX-License-Identifier: Apache-2.0
// A runner process as the harness sees it; README.md describes what is said.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export class Runner {
    #child;
    #lines = [];
    #waiting;
    #end;
    #complaints = '';

    /** Starts a command and waits for it to be ready; throws with the reason when it is not. */
    static async start([program, ...args], seconds) {
        const runner = new Runner(program, args);
        try {
            let line;
            do line = await runner.#line(seconds); while (!line.startsWith('ready '));
            runner.about = JSON.parse(line.slice(6));
            return runner;
        } catch (error) {
            runner.stop();
            throw error;
        }
    }

    constructor(program, args) {
        this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
        createInterface({ input: this.#child.stdout }).on('line', (line) => {
            this.#lines.push(line);
            this.#waiting?.();
        });
        this.#child.stderr.on('data', (data) => { this.#complaints = (this.#complaints + data).slice(-4000); });
        this.#child.stdin.on('error', () => {}); // it ended; 'close' says so
        const ended = (reason) => {
            this.#end ??= this.#complaints.trim().split('\n').at(-1) || reason;
            this.#waiting?.();
        };
        this.#child.on('error', (error) => ended(error.message));
        this.#child.on('close', (code, signal) => ended(`ended with ${signal ?? code}`));
    }

    async #line(seconds) {
        if (this.#lines.length === 0 && this.#end === undefined)
            await new Promise((resolve) => {
                const timer = setTimeout(() => {
                    this.#end = `no answer within ${seconds} s`;
                    this.stop();
                    resolve();
                }, 1000 * seconds);
                this.#waiting = () => { clearTimeout(timer); resolve(); };
            });
        this.#waiting = undefined;
        if (this.#lines.length === 0) throw new Error(this.#end);
        return this.#lines.shift();
    }

    async ask(command, seconds = 120) {
        if (this.#end === undefined) this.#child.stdin.write(`${command}\n`);
        return this.#line(seconds);
    }

    /** Milliseconds of one inference. */
    async run() {
        return (await this.runRow(1))[0];
    }

    /** Milliseconds of so many inferences in a row, which are asked for together. */
    async runRow(count) {
        if (this.#end === undefined) this.#child.stdin.write('run\n'.repeat(count));
        const times = [];
        while (times.length < count) {
            const answer = await this.#line(120);
            if (!(Number(answer) > 0)) throw new Error(`answered ${answer}`);
            times.push(Number(answer));
        }
        return times;
    }

    stop() {
        this.#child.kill('SIGKILL');
        // What it started may hold the other ends of these.
        for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    }
}
