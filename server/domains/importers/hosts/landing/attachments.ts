import { join } from 'node:path'

import { dataPaths } from '../../../../config.ts'
import { q, tx } from '../../../../db/database.ts'
import { keepFile } from '../../../../lib/durable-file.ts'
import { cleanFileName } from '../../../storage/index.ts'
import { landed, once, type ImportTarget } from './target.ts'
import type { FetchedFile, FoundTexts, TextTarget } from './inputs.ts'

const KIND = 'attachment'

/** See Landing.attach. */
export async function landAttachment(target: ImportTarget, file: FetchedFile): Promise<string> {
  const { ctx, projectId, importerId } = target
  const known = landed(target, KIND, file.source_key)
  if (known) return addressOf(target, known)
  const [secret, file_name] = [ctx.random.hex(16), cleanFileName(file.name)]
  const folder = join(dataPaths(ctx.config.dataDir).uploads, 'project', String(projectId))
  await keepFile(file.path, join(folder, secret, file_name))
  const row = { project_id: projectId, namespace_id: null, secret, file_name, size: file.size }
  const made = { ...row, uploaded_by_id: importerId, created_at: ctx.now }
  const id = once(target, KIND, file.source_key, () => {
    ctx.db.exec('UPDATE projects SET uploads_size = uploads_size + ? WHERE id = ?', file.size, projectId)
    return ctx.db.run(q.insertInto('uploads').values(made)).id
  })
  return addressOf(target, id!)
}

function addressOf({ ctx }: ImportTarget, id: number): string {
  const sql = 'SELECT secret, file_name FROM uploads WHERE id = ?'
  const { secret, file_name } = ctx.db.one<{ secret: string; file_name: string }>(sql, id)!
  return `/uploads/${secret}/${file_name}`
}

/** Texts that are looked at in one go. */
const PAGE = 200
const NOTES = "t.system = 0 AND t.noteable_type IN ('Issue', 'MergeRequest') AND t.project_id"

/** See Landing.textsWith. */
export function textsWith(
  { ctx, projectId }: ImportTarget,
  table: TextTarget['table'],
  piece: string,
  after: number,
): FoundTexts {
  const rows = ctx.db.many<{ id: number; text: string | null }>(
    `SELECT t.id, CASE WHEN instr(t.${columnOf(table)}, ?) > 0 THEN t.${columnOf(table)} END AS text FROM ${table} t
     WHERE ${table === 'notes' ? NOTES : 't.project_id'} = ? AND t.id > ? ORDER BY t.id LIMIT ${PAGE}`,
    piece,
    projectId,
    after,
  )
  const texts = rows.flatMap(({ id, text }) => (text === null ? [] : [{ id, text }]))
  return { texts, next: rows.at(-1)?.id ?? null }
}

const columnOf = (table: TextTarget['table']) => (table === 'notes' ? 'note' : 'description')

/** See Landing.replaceText. */
export function replaceText(
  { ctx }: ImportTarget,
  { table, id }: TextTarget,
  before: string,
  after: string,
): void {
  const column = columnOf(table)
  tx(ctx.db, () =>
    ctx.db.exec(`UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`, after, id, before),
  )
}
