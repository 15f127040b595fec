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

/**
 * Returns a function for the context with the current time. The context of a job has its start time, and exports take
 * long.
 */
export function withCurrentTime<C extends Pick<Ctx, 'now'>>(ctx: C): () => C {
  const startedAt = performance.now()
  return () => ({ ...ctx, now: isoTime(Date.parse(ctx.now) + Math.floor(performance.now() - startedAt)) })
}

/** The progress of an export. */
interface Progress {
  readonly step: string
  readonly done: number
  readonly total: number
}

/** Minimum time between two stored reports of progress. */
const REPORT_INTERVAL_MS = 1000

/** Returns a function that stores the progress of a step at most once a second. */
export function throttled(store: (progress: Progress) => void): (progress: Progress) => void {
  let reportedAt = -Infinity
  let lastStep = ''
  return ({ step, done, total }) => {
    const now = performance.now()
    if (step === lastStep && now - reportedAt < REPORT_INTERVAL_MS) return
    reportedAt = now
    lastStep = step
    store({ step, done, total })
  }
}

/** Kinds of exported files that can be downloaded: archives of projects and of groups, and single relations. */
export type ExportKind = 'projects' | 'groups' | 'relations'

/** The folder of exported files. Backups do not contain it. */
export function exportFolder(config: Pick<Config, 'dataDir'>, kind: ExportKind): string {
  return join(config.dataDir, 'exports', kind)
}

/** The path of an exported file, by its stored name. */
export function exportFile(config: Pick<Config, 'dataDir'>, kind: ExportKind, name: string): string {
  return join(exportFolder(config, kind), name)
}

/** Removes files that no row refers to any more. */
export async function removeFiles(config: Config, kind: ExportKind, names: readonly string[]): Promise<void> {
  for (const name of names)
    await removalsOf(config).pass(() => rm(exportFile(config, kind, name), { recursive: true, force: true }))
}

/**
 * Removes files that are not in `expected`, which a crash or a deleted owner left. Returns the names in `expected`
 * without a file.
 */
export async function removeOrphans(
  config: Config,
  kind: ExportKind,
  expected: ReadonlySet<string>,
): Promise<string[]> {
  const names = await readdir(exportFolder(config, kind)).catch(() => [] as string[])
  const orphans = names.filter((name) => !expected.has(name))
  await removeFiles(config, kind, orphans)
  return [...expected].filter((name) => !names.includes(name))
}

/** Creates an empty working folder and deletes the content of an earlier attempt. */
export async function workFolder(config: Pick<Config, 'dataDir'>, name: string): Promise<string> {
  const folder = join(dataPaths(config.dataDir).tmp, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** How long an archive can be downloaded, in milliseconds (spec administration 6.1). */
export const ARCHIVE_LIFETIME_MS = 24 * 3_600_000
const MAX_NAME = 51
const NOT_AVAILABLE = '404 Not found or has expired'

/**
 * The file name of an archive (spec administration 6.1): the time of the export and the path of the project or group.
 */
export function archiveName(fullPath: string, now: string): string {
  const time = now.replace('T', '_').replaceAll(':', '-').replace('.', '-').replace('Z', '')
  const path = fullPath.replaceAll('/', '_').replaceAll(/[^\w.-]/g, '_')
  return `${`${time}_${path}`.slice(0, MAX_NAME)}_export.tar.gz`
}

/** The answer with the archive of an export. Throws 404 if there is none, or if it has expired. */
export async function archiveAnswer(config: Config, kind: 'projects' | 'groups', row: Export | undefined) {
  if (!row?.file) throw fail('not_found', NOT_AVAILABLE)
  return fileAnswer(
    exportFile(config, kind, row.file),
    row.file_name ?? `${kind.slice(0, -1)}_export.tar.gz`,
    NOT_AVAILABLE,
  )
}

/** Returns the answer with a gzip file. Throws 404 with the message if the file is missing. */
export async function fileAnswer(path: string, name: string, message: string) {
  const stats = await stat(path).catch(() => undefined)
  if (!stats) throw fail('not_found', message)
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
