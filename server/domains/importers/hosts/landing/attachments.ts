import { join } from 'node:path'

import { dataPaths } from '../../../../config.ts'
import { tx } from '../../../../db/database.ts'
import { moveDurably } from '../../../../lib/files/durable-file.ts'
import { cleanFileName } from '../../../storage/index.ts'
import { insertUpload } from '../../../markdown/index.ts'
import { landed, once, type ImportTarget } from './target.ts'
import * as store from './store.ts'
import type { FetchedFile, MatchingTexts, TextTarget } from './types.ts'

const KIND = 'attachment'

/** See Landing.attach. */
export async function landAttachment(target: ImportTarget, file: FetchedFile): Promise<string> {
  const { ctx, projectId, importerId } = target
  const landedId = landed(target, KIND, file.source_key)
  if (landedId) return addressOf(target, landedId)
  const [secret, file_name] = [ctx.random.hex(16), cleanFileName(file.name)]
  const folder = join(dataPaths(ctx.config.dataDir).uploads, 'project', String(projectId))
  await moveDurably(file.path, join(folder, secret, file_name))
  const row = { project_id: projectId, namespace_id: null, secret, file_name, size: file.size }
  const upload = { ...row, uploaded_by_id: importerId, created_at: ctx.now }
  const id = once(target, KIND, file.source_key, () => insertUpload(ctx.db, upload).id)
  return addressOf(target, id!)
}

function addressOf({ ctx }: ImportTarget, id: number): string {
  const { secret, file_name } = store.uploadById(ctx.db, id)
  return `/uploads/${secret}/${file_name}`
}

/** Rows that one call of `textsWith` reads. */
const PAGE = 200

/** See Landing.textsWith. */
export function textsWith(
  { ctx, projectId }: ImportTarget,
  table: TextTarget['table'],
  piece: string,
  after: number,
): MatchingTexts {
  const rows = store.textsAfter(ctx.db, projectId, { table, piece, after, limit: PAGE })
  const texts = rows.flatMap(({ id, text }) => (text === null ? [] : [{ id, text }]))
  return { texts, next: rows.at(-1)?.id ?? null }
}

/** See Landing.replaceText. */
export function replaceText({ ctx }: ImportTarget, text: TextTarget, before: string, after: string): void {
  tx(ctx.db, () => store.updateText(ctx.db, text, before, after))
}
