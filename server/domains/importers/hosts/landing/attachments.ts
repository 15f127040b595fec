import { join } from 'node:path'

import { dataPaths } from '../../../../config.ts'
import { tx } from '../../../../db/database.ts'
import { moveDurably } from '../../../../lib/files/durable-file.ts'
import { cleanFileName } from '../../../storage/index.ts'
import { insertUpload } from '../../../markdown/index.ts'
import { importedId, importOnce, type ImportTarget } from './target.ts'
import * as store from './store.ts'
import type { DownloadedFile, MatchingTexts, TextTarget } from './types.ts'

const KIND = 'attachment'

/** See Landing.attach. */
export async function landAttachment(target: ImportTarget, file: DownloadedFile): Promise<string> {
  const { ctx, projectId, importerId } = target
  const existingId = importedId(target, KIND, file.source_key)
  if (existingId) return addressOf(target, existingId)
  const [secret, file_name] = [ctx.random.hex(16), cleanFileName(file.name)]
  const folder = join(dataPaths(ctx.config.dataDir).uploads, 'project', String(projectId))
  await moveDurably(file.path, join(folder, secret, file_name))
  const row = { project_id: projectId, namespace_id: null, secret, file_name, size: file.size }
  const upload = { ...row, uploaded_by_id: importerId, created_at: ctx.now }
  const id = importOnce(target, KIND, file.source_key, () => insertUpload(ctx.db, upload).id)
  return addressOf(target, id!)
}

function addressOf({ ctx }: ImportTarget, id: number): string {
  const { secret, file_name } = store.uploadById(ctx.db, id)
  return `/uploads/${secret}/${file_name}`
}

/** Number of rows that one call of `textsWith` reads. */
const PAGE_SIZE = 200

/** See Landing.textsWith. */
export function textsWith(
  { ctx, projectId }: ImportTarget,
  table: TextTarget['table'],
  substring: string,
  after: number,
): MatchingTexts {
  const rows = store.textsAfter(ctx.db, projectId, { table, substring, after, limit: PAGE_SIZE })
  const texts = rows.flatMap(({ id, text }) => (text === null ? [] : [{ id, text }]))
  return { texts, next: rows.at(-1)?.id ?? null }
}

/** See Landing.replaceText. */
export function replaceText({ ctx }: ImportTarget, text: TextTarget, before: string, after: string): void {
  tx(ctx.db, () => store.updateText(ctx.db, text, before, after))
}
