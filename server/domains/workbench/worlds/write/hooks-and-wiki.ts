import type { WorldProject } from '../model/schema.ts'
import { type Entry, type WorldWriter } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store.ts'

type WorldHook = NonNullable<WorldProject['hooks']>[number]
type WorldPage = NonNullable<WorldProject['wiki']>[number]

const EVENTS = [
  'push',
  'tag_push',
  'issues',
  'merge_requests',
  'note',
  'pipeline',
  'job',
  'releases',
] as const
const OTHER_EVENTS = [
  'confidential_issues',
  'confidential_note',
  'wiki_page',
  'deployment',
  'feature_flag',
  'emoji',
  'resource_access_token',
]

/** Writes the webhooks of a project, without their secret tokens. */
export async function writeHooks(
  writer: WorldWriter,
  output: YamlOutput,
  { id, path }: { id: number; path: string },
): Promise<void> {
  if (store.hookCount(writer.ctx.db, id) === 0) return
  type Row = {
    url: string
    enable_ssl_verification: boolean
    push_events_branch_filter: string | null
  } & Record<string, unknown>
  const rows = await writer.all<Row>('GET /projects/:id/hooks', { id })
  const hooks = rows
    .toSorted((a, b) => Number(a['id']) - Number(b['id']))
    .flatMap((row): Entry<WorldHook>[] => {
      if (!writer.checkName(row.url, 'webhooks', path)) return []
      const others = OTHER_EVENTS.filter((name) => row[`${name}_events`] === true)
      writer.omissions.add('events of webhooks', `${path} ${others.join(', ')}`, others.length)
      return [
        {
          url: row.url,
          events: EVENTS.filter((name) => row[`${name}_events`] === true),
          enable_ssl_verification: row.enable_ssl_verification ? undefined : false,
        },
      ]
    })
  await output.list('hooks', hooks, '    ')
}

/** Writes the current pages of a wiki. */
export async function writeWiki(
  writer: WorldWriter,
  output: YamlOutput,
  { id, path }: { id: number; path: string },
): Promise<void> {
  if (store.wikiPageCount(writer.ctx.db, id) === 0) return
  interface Row {
    readonly title: string
    readonly slug: string
    readonly format: string
    readonly content: string
  }
  const rows = await writer.call<Row[]>('GET /projects/:id/wikis', { id, with_content: true })
  const pages = rows.flatMap((row): Entry<WorldPage>[] => {
    if (row.format !== 'markdown') {
      writer.omissions.add('wiki pages that are no Markdown', `${path} ${row.slug}`)
      return []
    }
    return writer.checkName(row.title, 'wiki pages', path) ? [{ title: row.title, content: row.content }] : []
  })
  writer.omissions.add('authors, times and earlier versions of wiki pages', path, pages.length)
  await output.list('wiki', pages, '    ')
}
