import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { fill, makeSource } from '../forges/data.ts'
import { startDeskforge } from '../forges/deskforge.ts'
import type { Forge } from '../forges/forge.ts'
import { giteaBinary, startGitea } from '../forges/gitea.ts'
import { memoryOf, memoryRows, readRows, type Side } from '../forges/reads.ts'
import { writeRows } from '../forges/writes.ts'
import { inTurn, round, type Result } from '../support/measure.ts'

const STARTS = 5
const IDLE_SECONDS = 10

/** Rows 14, 15 and 17: reads, writes, git and memory in comparison to Gitea, if `DESKFORGE_BENCH_GITEA` names its binary. */
export async function* forgeRows(dir: string, cacheDir: string): AsyncGenerator<Result> {
  const binary = giteaBinary()
  if (binary === undefined) {
    console.log('    Rows 14, 15 and 17 are left out: DESKFORGE_BENCH_GITEA names no binary of Gitea.')
    return
  }
  const source = await makeSource(join(dir, 'source'))
  const started: Forge[] = []
  try {
    const sideOf = async (starting: Promise<Forge>): Promise<Side> => {
      const forge = await starting
      started.push(forge)
      return { forge, filled: await fill(forge, source, cacheDir) }
    }
    const ours = await sideOf(startDeskforge(join(dir, 'deskforge')))
    const theirs = await sideOf(startGitea(binary, join(dir, 'gitea')))
    yield await startRow(ours, theirs)
    await pause(IDLE_SECONDS * 1000)
    const idle: [number, number] = [memoryOf(ours.forge), memoryOf(theirs.forge)]
    yield* readRows(ours, theirs)
    yield* await memoryRows(ours, theirs, idle)
    const clones = join(dir, 'clones')
    mkdirSync(clones)
    yield* writeRows(ours, theirs, clones)
  } finally {
    for (const forge of started) await forge.running.stop()
  }
}

async function startRow(ours: Side, theirs: Side): Promise<Result> {
  const start = async ({ forge }: Side): Promise<number> => {
    await forge.restart()
    return forge.running.startMs
  }
  const [own, peer] = await inTurn(
    STARTS,
    () => start(ours),
    () => start(theirs),
  )
  const ratio = peer / own
  return {
    row: 15,
    work: 'start to the first 200',
    baseline: `Gitea ${round(peer)} ms`,
    measured: `${round(own)} ms`,
    ratio,
    goal: '≥ 1 × as fast',
    met: ratio >= 1,
  }
}
