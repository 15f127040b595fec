import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { median, round, timed, type Result } from '../support/measure.ts'
import { cpuMs } from '../support/process-tree.ts'
import { git } from './data.ts'
import type { Side } from './reads.ts'

const AT_ONCE = 8

/** The median time of an operation, and the CPU time of the forge and its child processes per operation, in ms. */
interface Cost {
  readonly ms: number
  readonly cpuMs: number
}

/** An operation. `name` differs in every call, and may be part of a path. */
type Operation = (side: Side, name: string) => Promise<unknown>

interface Row {
  readonly work: string
  readonly times: number
  readonly atOnce?: number
  /** The required factor by which Deskforge is faster than Gitea. */
  readonly goal: number
  /** Prepares each call, and is not timed. */
  readonly prepare?: Operation
  readonly run: Operation
}

async function cost(side: Side, row: Row): Promise<Cost> {
  const { pid } = side.forge.running
  const lanes = row.atOnce ?? 1
  const once = async (lane: number, turn: number): Promise<number> => {
    const name = `${row.work.replace(/\W+/g, '-')}-${lane}-${turn}`
    await row.prepare?.(side, name)
    return timed(() => row.run(side, name))
  }
  // The first call warms up and is not counted.
  await once(0, -1)
  const before = cpuMs(pid)
  const lists = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const times: number[] = []
      for (let turn = 0; turn < row.times; turn++) times.push(await once(lane, turn))
      return times
    }),
  )
  return { ms: median(lists.flat()), cpuMs: (cpuMs(pid) - before) / (lanes * row.times) }
}

function rowsIn(dir: string): Row[] {
  const workFolder = ({ forge }: Side): string => join(dir, `${forge.name}-work`)
  const createIssue: Operation = ({ forge, filled }, name) => forge.createIssue(filled.main, name)
  const clone: Operation = async ({ forge, filled }, name) => {
    const folder = join(dir, `${forge.name}-${name}`)
    await git(dir, 'clone', '-q', '--bare', forge.remote(filled.big), folder)
    rmSync(folder, { recursive: true })
  }
  return [
    {
      work: 'merge',
      times: 6,
      goal: 1,
      prepare: ({ forge, filled }) => forge.untilMergeable(filled.written, filled.merges[0]!),
      run: ({ forge, filled }) => forge.merge(filled.written, filled.merges.shift()!),
    },
    { work: 'issue created', times: 60, goal: 1, run: createIssue },
    { work: 'issue created, 8 at once', times: 20, atOnce: AT_ONCE, goal: 3, run: createIssue },
    {
      work: 'commit by API',
      times: 12,
      goal: 1,
      run: ({ forge, filled }, name) => forge.commit(filled.projects[3]!, `made/${name}.txt`, `${name}\n`),
    },
    {
      work: 'push of one commit',
      times: 10,
      goal: 1,
      prepare: async (side, name) => {
        writeFileSync(join(workFolder(side), 'pushed.txt'), name)
        await git(workFolder(side), 'add', '-A')
        await git(workFolder(side), 'commit', '-qm', `Push ${name}`)
      },
      run: (side) => git(workFolder(side), 'push', '-q', 'origin', 'HEAD:main'),
    },
    {
      work: 'ls-remote',
      times: 25,
      goal: 1,
      run: ({ forge, filled }) => git(dir, 'ls-remote', '-q', forge.remote(filled.main)),
    },
    {
      work: 'fetch without news',
      times: 15,
      goal: 1,
      run: (side) => git(workFolder(side), 'fetch', '-q', 'origin'),
    },
    { work: 'clone, 50 MB', times: 3, goal: 1, run: clone },
    { work: 'clone, 50 MB, 8 at once', times: 1, atOnce: AT_ONCE, goal: 1, run: clone },
  ]
}

/** Row 15: writes and git commands, as a factor of Gitea's times. Clones are created below `dir`. */
export async function* writeRows(ours: Side, theirs: Side, dir: string): AsyncGenerator<Result> {
  for (const { forge, filled } of [ours, theirs])
    await git(dir, 'clone', '-q', forge.remote(filled.projects[4]!), join(dir, `${forge.name}-work`))
  for (const row of rowsIn(dir)) {
    const [own, peer] = [await cost(ours, row), await cost(theirs, row)]
    const ratio = peer.ms / own.ms
    yield {
      row: 15,
      work: row.work,
      baseline: `Gitea ${round(peer.ms)} ms, CPU ${round(peer.cpuMs)} ms`,
      measured: `${round(own.ms)} ms, CPU ${round(own.cpuMs)} ms`,
      ratio,
      goal: `≥ ${row.goal} × as fast`,
      met: ratio >= row.goal,
    }
  }
}
