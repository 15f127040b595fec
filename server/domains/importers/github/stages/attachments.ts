import { rm } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { HOST_A_FILES } from '../../../../lib/aliases.ts'
import { addStats, marked } from '../../../import_export/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { cleanFileName } from '../../../storage/index.ts'
import type { TextTarget } from '../../hosts/landing/index.ts'
import { download } from '../download.ts'
import { checkAlive, storeCursor, reportProgress } from '../../hosts/work.ts'
import { importRecord, type Work, type Stage } from '../work.ts'

type Table = TextTarget['table']

const MARK = 'attachment_of_text'

/** Texts with attachments, and the kinds that their attachments count as. */
const TABLES: readonly (readonly [Table, string])[] = [
  ['releases', 'release_attachment'],
  ['notes', 'note_attachment'],
  ['issues', 'issue_attachment'],
  ['merge_requests', 'merge_request_attachment'],
]

/** Stage 10: downloads the files that texts link to, and replaces the links. */
export const attachments: Stage = {
  name: 'attachments',
  isWanted: ({ source }) => source.optional_stages['attachments_import'] === true,
  async run(work) {
    for (const [table, stat] of TABLES)
      for (const host of hostsOf(work))
        await eachText(work, table, host, (id, text) => attachAll(work, { table, id }, stat, text))
  },
}

/** Hosts of attachments. */
function hostsOf({ client }: Work): string[] {
  const { web, isPublic } = client.address
  return isPublic ? [web, ...HOST_A_FILES.map((host) => `https://${host}`)] : [web]
}

async function eachText(
  work: Work,
  table: Table,
  host: string,
  each: (id: number, text: string) => Promise<void>,
): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const texts = work.landing.textsWith(table, host, after)
    for (const { id, text } of texts.texts) {
      checkAlive(work)
      await each(id, text)
      storeCursor(work, { done: (work.cursor.done ?? 0) + 1 })
      reportProgress(work)
    }
    await nextTurn()
    after = texts.next
  }
}

/** URLs of attachments: below `/user-attachments/`, below the repository, or anywhere on the hosts for attachments only. */
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

async function attachAll(work: Work, target: TextTarget, stat: string, text: string): Promise<void> {
  const { ctx, projectId, landing } = work
  let now = text
  for (const address of filesIn(text, hostsOf(work), work.source.full_name)) {
    const key = `${target.table}:${target.id}:${address}`
    if (marked(ctx.db, projectId, MARK, key) !== undefined) continue
    addStats(ctx, projectId, 'fetched', stat)
    await importRecord(work, { stat, mark: MARK, key, name: `Attachment ${address}` }, async () => {
      const path = await attachment(work, address)
      const after = now.replaceAll(address, path)
      landing.replaceText(target, now, after)
      now = after
      return target.id
    })
  }
}

async function attachment(work: Work, address: string): Promise<string> {
  const { ctx, client, signal } = work
  const isOwn = new URL(address).origin === new URL(client.address.web).origin
  const maxBytes = settingsOf(ctx).max_attachment_size * 1024 * 1024
  const headers: Record<string, string> = isOwn ? { authorization: `Bearer ${work.token}` } : {}
  const file = await download(ctx, address, { headers, maxBytes, signal })
  try {
    const name = cleanFileName(file.name ?? decoded(new URL(address).pathname.split('/').at(-1) ?? 'file'))
    return await work.landing.attach({ source_key: address, name, path: file.path, size: file.size })
  } finally {
    await rm(file.path, { force: true })
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
