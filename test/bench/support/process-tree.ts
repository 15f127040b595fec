import { readFileSync, readdirSync } from 'node:fs'

/** A clock tick of the kernel in milliseconds, the same on every Linux. */
const TICK_MS = 10

/** The numbers of `/proc/<pid>/stat` after the name of the program, which may contain spaces. */
function statOf(pid: number | string): number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text
      .slice(text.lastIndexOf(') ') + 2)
      .split(' ')
      .map(Number)
  } catch {
    // The process has ended meanwhile.
    return undefined
  }
}

/** A process and its running descendants (Linux). */
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

/** CPU time of a process, its running descendants and its reaped children, in ms. */
export function cpuMs(pid: number): number {
  const ticks = familyOf(pid).flatMap((process) => statOf(process)?.slice(11, 15) ?? [])
  return ticks.reduce((sum, value) => sum + value, 0) * TICK_MS
}

/** The sum of a figure of several processes from a file below `/proc`, in MB. */
function sumOf(pids: readonly number[], file: string, line: RegExp): number {
  const kb = pids.map((pid) => {
    try {
      return Number(line.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  })
  return kb.reduce((sum, size) => sum + size, 0) / 1024
}

/** Resident memory of a process and its descendants, in MB. */
export function residentMb(pid: number): number {
  return sumOf(familyOf(pid), 'status', /VmRSS:\s+(\d+)/)
}

/** Proportional memory of processes: their own pages, and their part of the shared ones, in MB. */
export function proportionalMb(pids: readonly number[]): number {
  return sumOf(pids, 'smaps_rollup', /^Pss:\s+(\d+)/m)
}
