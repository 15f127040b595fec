import type { Trace } from './trace.ts'

/** Runs a part of a job inside of a folding section of its log (spec ci 1.18). */
export async function section<T>(
  { trace, seconds }: { readonly trace: Trace; readonly seconds: () => number },
  name: string,
  title: string,
  work: () => Promise<T>,
): Promise<T> {
  trace.write(`section_start:${seconds()}:${name}\r\x1b[0K\x1b[0K\x1b[36;1m${title}\x1b[0;m\n`)
  try {
    return await work()
  } finally {
    trace.write(`section_end:${seconds()}:${name}\r\x1b[0K`)
  }
}
