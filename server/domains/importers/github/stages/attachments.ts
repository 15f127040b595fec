import { rm } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { HOST_A_FILES } from '../../../../lib/aliases.ts'
import { addStats, markedId } from '../../../import_export/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { cleanFileName } from '../../../storage/index.ts'
import type { TextTarget } from '../../hosts/landing/index.ts'
import { download } from '../download.ts'
import { checkNotCanceled, storeCursor, reportProgress } from '../../hosts/work.ts'
import { importRecord, type Work, type Stage } from '../work.ts'

type Table = TextTarget['table']

const MARK = 'attachment_of_text'

/** Tables of texts with attachments, and the statistic that counts their attachments. */
const TABLES: readonly (readonly [Table, string])[] = [
  ['releases', 'release_attachment'],
  ['notes', 'note_attachment'],
  ['issues', 'issue_attachment'],
  ['merge_requests', 'merge_request_attachment'],
]

/** Stage 10: downloads the files that texts link to, and replaces the links. */
export const attachments: Stage = {
  name: 'attachments',
  isEnabled: ({ source }) => source.optional_stages['attachments_import'] === true,
  async run(work) {
    for (const [table, stat] of TABLES)
      for (const host of hostsOf(work))
        await forEachText(work, table, host, (id, text) => importAttachments(work, { table, id }, stat, text))
  },
}

/** Origins of the URLs of attachments. */
function hostsOf({ client }: Work): string[] {
  const { web, isPublic } = client.address
  return isPublic ? [web, ...HOST_A_FILES.map((host) => `https://${host}`)] : [web]
}

async function forEachText(
  work: Work,
  table: Table,
  host: string,
  importText: (id: number, text: string) => Promise<void>,
): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const texts = work.landing.textsWith(table, host, after)
    for (const { id, text } of texts.texts) {
      checkNotCanceled(work)
      await importText(id, text)
      storeCursor(work, { done: (work.cursor.done ?? 0) + 1 })
      reportProgress(work)
    }
    await nextTurn()
    after = texts.next
  }
}

/**
 * The URLs of attachments in a text. Their path is below `/user-attachments/` or the repository; on hosts that only
 * serve attachments it may be any path.
 */
export function filesIn(text: string, hosts: readonly string[], fullName: string): string[] {
  const urls = text.match(/https?:\/\/[^\s<>()[\]"'`]+/g) ?? []
  const isFile = (address: string): boolean => {
    const url = URL.parse(address)
    if (!url || !hosts.includes(url.origin)) return false
    if (HOST_A_FILES.includes(url.hostname)) return true
    const prefix = `/${fullName.toLowerCase()}/`
    const path = url.pathname.toLowerCase()
    return (
      /^\/user-attachments\/(assets|files)\/./.test(path) ||
      (path.startsWith(prefix) && /^(files|assets)\/./.test(path.slice(prefix.length)))
    )
  }
  return [...new Set(urls.map((address) => address.replace(/[.,;:!?]+$/, '')).filter(isFile))]
}

async function importAttachments(work: Work, target: TextTarget, stat: string, text: string): Promise<void> {
  const { ctx, projectId, landing } = work
  let current = text
  for (const address of filesIn(text, hostsOf(work), work.source.full_name)) {
    const key = `${target.table}:${target.id}:${address}`
    if (markedId(ctx.db, projectId, MARK, key) !== undefined) continue
    addStats(ctx, projectId, 'fetched', stat)
    await importRecord(work, { stat, mark: MARK, key, name: `Attachment ${address}` }, async () => {
      const path = await downloadAttachment(work, address)
      const after = current.replaceAll(address, path)
      landing.replaceText(target, current, after)
      current = after
      return target.id
    })
  }
}

async function downloadAttachment(work: Work, address: string): Promise<string> {
  const { ctx, client, signal } = work
  const isSameHost = new URL(address).origin === new URL(client.address.web).origin
  const maxBytes = settingsOf(ctx).max_attachment_size * 1024 * 1024
  const headers: Record<string, string> = isSameHost ? { authorization: `Bearer ${work.token}` } : {}
  const file = await download(ctx, address, { headers, maxBytes, signal })
  try {
    const name = cleanFileName(file.name ?? decodeText(new URL(address).pathname.split('/').at(-1) ?? 'file'))
    return await work.landing.attach({ source_key: address, name, path: file.path, size: file.size })
  } finally {
    await rm(file.path, { force: true })
  }
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
