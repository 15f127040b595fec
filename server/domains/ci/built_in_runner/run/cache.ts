import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { collect } from '../files/collect.ts'
import { zipOf } from '../files/pack.ts'
import { unpack } from '../files/unpack.ts'
import type { CacheEntry } from '../payload.ts'
import { isWanted } from './artifacts.ts'
import type { RunContext } from './sources.ts'

const pulls = ({ policy }: CacheEntry): boolean => policy !== 'push'
const pushes = ({ policy }: CacheEntry): boolean => policy !== 'pull'

/** Caches to restore before the job. */
export const cachesToRestore = (orders: readonly CacheEntry[] | null): CacheEntry[] =>
  (orders ?? []).filter(pulls)

/** Caches to save after a job with this result. */
export const cachesToKeep = (orders: readonly CacheEntry[] | null, isSuccess: boolean): CacheEntry[] =>
  (orders ?? []).filter((order) => pushes(order) && isWanted(order.when, isSuccess))

/** Restores the cache with this key, or with the first existing fallback key. A missing cache is not an error. */
export async function restoreCache(run: RunContext, order: CacheEntry, now: Date): Promise<void> {
  const { trace, variables } = run
  const global = variables.get('CACHE_FALLBACK_KEY')
  const keys = [order.key, ...(order.fallback_keys ?? []), ...(global ? [global] : [])]
  for (const key of keys.map((one) => variables.expand(one))) {
    trace.write(`\x1b[32;1mChecking cache for ${key}...\x1b[0;m\n`)
    const archive = fileOf(run, key)
    try {
      if (!(await stat(archive).catch(() => undefined))) continue
      await unpack(archive, run.workspace.project)
      await utimes(archive, now, now)
      trace.write('\x1b[32;1mSuccessfully extracted cache\x1b[0;m\n')
      return
    } catch (error) {
      trace.write(`\x1b[0;33mWARNING: ${(error as Error).message}\x1b[0;m\n`)
    }
  }
  trace.write('No cache was found.\n')
}

/** Saves files of a project as the cache with this key. */
export async function keepCache(run: RunContext, order: CacheEntry): Promise<void> {
  const { trace, variables, workspace, payload } = run
  const key = variables.expand(order.key)
  trace.write(`\x1b[32;1mCreating cache ${key}...\x1b[0;m\n`)
  const paths = order.paths.map((path) => variables.expand(path))
  const { files, notes } = await collect(workspace.project, { paths, untracked: order.untracked }, run.env)
  trace.write(notes.map((note) => `${note} \n`).join(''))
  if (files.length === 0) return
  const archive = fileOf(run, key)
  const effort = variables.get('CACHE_COMPRESSION_LEVEL') ?? 'fastest'
  const part = `${archive}.${payload.id}.part`
  await mkdir(run.caches, { recursive: true, mode: 0o700 })
  try {
    await pipeline(zipOf(workspace.project, files, effort), createWriteStream(part), { signal: run.signal })
    await rename(part, archive)
    trace.write('\x1b[32;1mCreated cache\x1b[0;m\n')
  } catch (error) {
    await rm(part, { force: true })
    trace.write(`\x1b[0;33mWARNING: ${(error as Error).message}\x1b[0;m\n`)
  }
}

function fileOf({ caches }: RunContext, key: string): string {
  return join(caches, `${createHash('sha256').update(key).digest('hex')}.zip`)
}
