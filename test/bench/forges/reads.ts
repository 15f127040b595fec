import { setTimeout as pause } from 'node:timers/promises'

import { round, type Result } from '../support/measure.ts'
import { familyOf, proportionalMb } from '../support/process-tree.ts'
import type { Filled } from './data.ts'
import type { Forge } from './forge.ts'
import { load } from './load.ts'

/** A forge with its content. */
export interface Side {
  readonly forge: Forge
  readonly filled: Filled
}

const WARM_UP_SECONDS = 1
const SECONDS = 2
const REST_SECONDS = 60
const GOAL = 10

const RAW = 'src/area-3/file-3.txt'

/** The paths of each read. Several paths are requested in turn. */
const READS: Readonly<Record<string, (side: Side) => string[]>> = {
  'one project': ({ forge, filled }) => filled.projects.map((project) => forge.reads.project(project)),
  '20 projects': ({ forge }) => [forge.reads.projects()],
  '20 issues': ({ forge, filled }) => [forge.reads.issues(filled.main)],
  '20 merge requests': ({ forge, filled }) => [forge.reads.requests(filled.main)],
  'one merge request': ({ forge, filled }) =>
    filled.requests.map((number) => forge.reads.request(filled.main, number)),
  'its diff': ({ forge, filled }) => filled.requests.map((number) => forge.reads.diff(filled.main, number)),
  'root tree': ({ forge, filled }) => [forge.reads.tree(filled.main)],
  'raw file': ({ forge, filled }) => [forge.reads.raw(filled.main, RAW)],
  '20 commits': ({ forge, filled }) => [forge.reads.commits(filled.main)],
  '20 branches': ({ forge, filled }) => [forge.reads.branches(filled.main)],
}

/** Proportional memory of a forge and its child processes, in MB. */
export function memoryOf({ running }: Forge): number {
  return proportionalMb(familyOf(running.pid))
}

/** Row 14: reads with requests that differ, and then the same request of Deskforge repeatedly. */
export async function* readRows(ours: Side, theirs: Side): AsyncGenerator<Result> {
  for (const [work, pathsOf] of Object.entries(READS)) {
    const measure = async (side: Side) => {
      const paths = pathsOf(side)
      await load(side.forge, paths, { seconds: WARM_UP_SECONDS, fresh: true })
      return load(side.forge, paths, { seconds: SECONDS, fresh: true })
    }
    const [own, peer] = [await measure(ours), await measure(theirs)]
    const again = await load(ours.forge, pathsOf(ours), { seconds: SECONDS, fresh: false })
    const ratio = own.perSecond / peer.perSecond
    yield {
      row: 14,
      work,
      baseline: `Gitea ${round(peer.perSecond)}/s, CPU ${round(peer.cpuMs)} ms`,
      measured: `${round(own.perSecond)}/s (again ${round(again.perSecond)}), CPU ${round(own.cpuMs)} ms`,
      ratio,
      goal: `≥ ${GOAL} ×`,
      met: ratio >= GOAL,
    }
  }
}

/** Row 17: memory when idle, after the reads, and after a minute of rest. `idle` is the memory before the reads. */
export async function memoryRows(ours: Side, theirs: Side, idle: [number, number]): Promise<Result[]> {
  const after = [memoryOf(ours.forge), memoryOf(theirs.forge)] as const
  await pause(REST_SECONDS * 1000)
  const rested = [memoryOf(ours.forge), memoryOf(theirs.forge)] as const
  const row = (work: string, [own, peer]: readonly [number, number], most: number): Result => ({
    row: 17,
    work: `memory ${work}`,
    baseline: `Gitea ${round(peer)} MB`,
    measured: `${round(own)} MB`,
    ratio: own / peer,
    goal: `≤ 1 ×, ≤ ${most} MB`,
    met: own <= peer && own <= most,
  })
  return [row('idle', idle, 110), row('after the reads', after, 200), row('a minute later', rested, 132)]
}
