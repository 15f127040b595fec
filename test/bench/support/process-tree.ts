import { readFileSync, readdirSync } from 'node:fs'

/** A clock tick of the kernel in milliseconds, the same on every Linux. */
const TICK_MS = 10

/** The numbers of `/proc/<pid>/stat` after the program's name, which may have blanks. */
function statOf(pid: number | string): number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(') ') + 2)
      .split(' ')
      .map(Number)
  } catch {
    // The process ended while we looked.
    return undefined
  }
}

/** A process and everything it started that still runs (Linux). */
export function familyOf(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(entry)
    if (stat) parents.set(Number(entry), stat[1]!)
  }
  const family = [pid]
  for (let index = 0; index < family.length; index++) {
    for (const [child, parent] of parents) if (parent === family[index]) family.push(child)
  }
  return family
}

/** CPU time of a process, of what it started, and of what ended and was waited for, in ms. */
export function cpuMs(pid: number): number {
  const ticks = familyOf(pid).flatMap((one) => statOf(one)?.slice(11, 15) ?? [])
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS
}

/** A figure of each process from a file below `/proc`, added up, in MB. */
function sumOf(pids: readonly number[], file: string, line: RegExp): number {
  const kb = pids.map((pid) => {
    try {
      return Number(line.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  })
  return kb.reduce((sum, one) => sum + one, 0) / 1024
}

/** Resident memory of a process and everything it started, in MB. */
export function residentMb(pid: number): number {
  return sumOf(familyOf(pid), 'status', /VmRSS:\s+(\d+)/)
}

/** Memory that processes have for themselves, shared pages divided, in MB. */
export function proportionalMb(pids: readonly number[]): number {
  return sumOf(pids, 'smaps_rollup', /^Pss:\s+(\d+)/m)
}
