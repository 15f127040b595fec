import { z } from 'zod'

import type { UploadedFile } from '../../../lib/files/uploaded-file.ts'
import { readFile } from 'node:fs/promises'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, cron, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { removeContent, writeContent, hasParser, removeOrphans, readMetadata } from './describe.ts'
import { SecureFileCreated, SecureFileRemoved } from '../events.ts'
import * as store from './store.ts'
import type { SecureFileRow } from './store.ts'

/** Reads the metadata of a new file. */
const describeFile = job(
  'ci.describe_secure_file',
  { args: { secure_file_id: z.number() } },
  (ctx, { secure_file_id }) => readMetadata(ctx, secure_file_id),
)

/** Deletes the content of a deleted file. */
const removeStored = job(
  'ci.remove_secure_file',
  { args: { project_id: z.number(), stored_as: z.string() } },
  removeContent,
)

export const jobs: Job[] = [describeFile as Job, removeStored as Job]

export const crons: CronLine[] = [cron('ci.remove_orphaned_secure_files', '35 3 * * *', removeOrphans)]

/** The size in bytes that files must not reach (spec ci 6). */
const SIZE_LIMIT = 5 * 1024 * 1024
const MAX_FILES = 100
const MAX_NAME = 255

type ReceivedFile = Pick<UploadedFile, 'path' | 'size' | 'sha256'>

/** A page of the files of a project. */
export function listSecureFiles(
  ctx: Pick<Ctx, 'db'>,
  projectId: number,
  paging: { limit: number; offset: number },
): Rows<SecureFileRow> {
  return store.list(ctx.db, projectId, paging)
}

/** Returns a file of a project. Throws `404 SecureFile Not Found`. */
export function findSecureFile(ctx: Pick<Ctx, 'db'>, projectId: number, id: number): SecureFileRow {
  const row = store.byProjectAndId(ctx.db, projectId, id)
  if (!row) throw notFound('SecureFile')
  return row
}

/**
 * Stores a file for the jobs of a project. The content is synced to disk before the row is written. A crash between the
 * two leaves a file without a row, which a cron job deletes. Throws 413 for a file that is too large, and 400 with the
 * errors of each field.
 */
export async function createSecureFile(
  ctx: Ctx,
  projectId: number,
  input: { readonly name: string; readonly file: ReceivedFile },
): Promise<SecureFileRow> {
  if (input.file.size >= SIZE_LIMIT) throw fail('too_large')
  checkNew(ctx, projectId, input.name)
  const location = { project_id: projectId, stored_as: ctx.random.hex(16) }
  try {
    await writeContent(ctx, location, await readFile(input.file.path))
    return tx(ctx.db, () => {
      checkNew(ctx, projectId, input.name)
      const { sha256: checksum, size } = input.file
      const columns = { name: input.name, checksum, size, created_at: ctx.now }
      const row = store.insert(ctx.db, { ...location, ...columns })
      publish(ctx, SecureFileCreated, eventOf(ctx, row))
      if (hasParser(row.name)) enqueue(ctx, describeFile, { secure_file_id: row.id })
      return row
    })
  } catch (error) {
    // An error after the commit must not delete the content of a committed row.
    if (store.unreferencedNames(ctx.db, projectId, [location.stored_as]).length > 0)
      await removeContent(ctx, location)
    throw error
  }
}

/** Deletes a file. A background job deletes its content. */
export function removeSecureFile(ctx: Ctx, row: SecureFileRow): void {
  tx(ctx.db, () => {
    // The event is published before the deletion, because the audit log reads the name of the file.
    publish(ctx, SecureFileRemoved, eventOf(ctx, row))
    store.remove(ctx.db, row.id)
    enqueue(ctx, removeStored, { project_id: row.project_id, stored_as: row.stored_as })
  })
}

function checkNew(ctx: Ctx, projectId: number, name: string): void {
  const problems = nameProblems(name)
  if (store.byName(ctx.db, projectId, name)) problems.push('has already been taken')
  if (problems.length > 0) throw invalid({ name: problems })
  if (store.count(ctx.db, projectId) >= MAX_FILES)
    throw invalid({ base: `Maximum number of project ci secure files (${MAX_FILES}) exceeded` })
}

/** The errors of a name. Clients use names as paths of files, so a name must not lead outside of a folder. */
function nameProblems(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"]
  if (name.length > MAX_NAME) return [`is too long (maximum is ${MAX_NAME} characters)`]
  // oxlint-disable-next-line no-control-regex
  const isInvalid =
    /[\u0000-\u001f\u007f\\]/.test(name) || name.split('/').some((segment) => /^\.{0,2}$/.test(segment))
  return isInvalid ? ['is invalid'] : []
}

function eventOf(ctx: Ctx, row: SecureFileRow) {
  return { project_id: row.project_id, secure_file_id: row.id, actor_id: ctx.actor.id }
}
