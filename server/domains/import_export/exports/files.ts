import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

import { dataPaths, type Config } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { removalsOf } from '../../../lib/gate.ts'
import type { Export } from './store.ts'

/** Returns the context with the current time: the context of a job keeps its start time, and exports take long. */
export function timed<C extends Pick<Ctx, 'now'>>(ctx: C): () => C {
  const begun = performance.now()
  return () => ({ ...ctx, now: isoTime(Date.parse(ctx.now) + Math.floor(performance.now() - begun)) })
}

/** The progress of an export. */
interface Progress {
  readonly step: string
  readonly done: number
  readonly total: number
}

/** Minimum time between two stored reports of progress. */
const EVERY_MS = 1000

/** Reports the progress of a step at most once a second. */
export function throttled(store: (progress: Progress) => void): (progress: Progress) => void {
  let at = -Infinity
  let before = ''
  return ({ step, done, total }) => {
    const now = performance.now()
    if (step === before && now - at < EVERY_MS) return
    at = now
    before = step
    store({ step, done, total })
  }
}

/** Files that wait for their download: archives of projects and groups, and single relations. */
export type ExportKind = 'projects' | 'groups' | 'relations'

/** The folder of files that wait for their download. Backups do not contain it. */
export function keptFolder(config: Pick<Config, 'dataDir'>, kind: ExportKind): string {
  return join(config.dataDir, 'exports', kind)
}

/** The path of a file that waits for its download, by its stored name. */
export function keptFile(config: Pick<Config, 'dataDir'>, kind: ExportKind, name: string): string {
  return join(keptFolder(config, kind), name)
}

/** Removes files that no row names any more. */
export async function removeFiles(config: Config, kind: ExportKind, names: readonly string[]): Promise<void> {
  for (const name of names)
    await removalsOf(config).pass(() => rm(keptFile(config, kind, name), { recursive: true, force: true }))
}

/**
 * Removes files that are not in `existing`: leftovers of a crash or of a deleted owner. Returns those of `existing` that do not
 * exist.
 */
export async function sweep(
  config: Config,
  kind: ExportKind,
  existing: ReadonlySet<string>,
): Promise<string[]> {
  const names = await readdir(keptFolder(config, kind)).catch(() => [] as string[])
  const orphans = names.filter((name) => !existing.has(name))
  await removeFiles(config, kind, orphans)
  return [...existing].filter((name) => !names.includes(name))
}

/** Creates an empty working folder and deletes the content of an earlier attempt. */
export async function workFolder(config: Pick<Config, 'dataDir'>, name: string): Promise<string> {
  const folder = join(dataPaths(config.dataDir).tmp, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** The time in milliseconds that an archive can be downloaded (spec administration 6.1). */
export const LIFE_MS = 24 * 3_600_000
const MAX_NAME = 51
const GONE = '404 Not found or has expired'

/** The name of a download (spec administration 6.1): the time of the export, and the path of what was exported. */
export function archiveName(fullPath: string, now: string): string {
  const moment = now.replace('T', '_').replaceAll(':', '-').replace('.', '-').replace('Z', '')
  const path = fullPath.replaceAll('/', '_').replaceAll(/[^\w.-]/g, '_')
  return `${`${moment}_${path}`.slice(0, MAX_NAME)}_export.tar.gz`
}

/** The archive of an export as an answer. Throws 404 if there is none, or if it has expired. */
export async function archiveAnswer(config: Config, kind: 'projects' | 'groups', row: Export | undefined) {
  if (!row?.file) throw fail('not_found', GONE)
  return fileAnswer(
    keptFile(config, kind, row.file),
    row.file_name ?? `${kind.slice(0, -1)}_export.tar.gz`,
    GONE,
  )
}

/** Returns a packed file as an answer. Throws 404 with the message if the file is missing. */
export async function fileAnswer(path: string, name: string, gone: string) {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) throw fail('not_found', gone)
  return {
    type: 'application/gzip',
    length: stats.size,
    headers: {
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'private, no-store',
    },
    body: createReadStream(path),
  }
}
