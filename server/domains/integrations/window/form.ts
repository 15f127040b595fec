import type { Ctx } from '../../../ctx.ts'
import { sentences } from '../../../http/param.ts'
import { invalid, notFound } from '../../../lib/fail.ts'
import { CATALOGUE, catalogueOf, type Field, type Flag, type Integration } from '../catalogue/index.ts'
import { CHECKS } from '../delivering/checks.ts'
import { VENDORS } from '../delivering/vendors.ts'
import { type Given, typeOf } from '../params.ts'
import { propertiesOf, secretsOf, type Value } from '../settings.ts'
import * as store from '../store.ts'
import type { Opened, Outside, Placed } from './entity.ts'

/** All integrations there are, with what the project made of them. */
export function listPlaced(ctx: Ctx, projectId: number): Placed[] {
  const rows = new Map(store.allOf(ctx.db, projectId).map((row) => [row.slug, row]))
  return Array.from(CATALOGUE.values(), (one) => ({ one, row: rows.get(one.slug) })).filter(
    ({ one, row }) => !one.is_hidden || row?.active === true,
  )
}

/** What the form of an integration shows. Throws `404 Integration Not Found` for what is none. */
export function openForm(ctx: Ctx, projectId: number, slug: string): Opened {
  const one = CATALOGUE.get(slug)
  if (!one || one.is_foreign) throw notFound('Integration')
  const row = store.find(ctx.db, projectId, slug)
  const kept = new Set(row ? Object.keys(secretsOf(ctx, row)) : [])
  return { one, row, kept, canTest: CHECKS.has(slug) || VENDORS.has(slug) }
}

/**
 * What a form sent, as texts: an empty one clears, also a secret; what is not there stays. Throws 400 by field for what
 * has not the type of its field.
 */
export function givenByForm(
  one: Integration,
  texts: Readonly<Record<string, string>>,
  flags: Readonly<Record<string, string>>,
): Given {
  const problems: Record<string, string> = {}
  const values: Record<string, Value> = {}
  for (const field of one.fields) {
    const text = texts[field.name]
    if (text === undefined) continue
    if (text === '') values[field.name] = null
    else readValue(field, text, values, problems)
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const told = one.flags.flatMap((flag) =>
    flags[flag] === undefined ? [] : [[flag, flags[flag] === 'true']],
  )
  return { values, flags: Object.fromEntries(told) as Partial<Record<Flag, boolean>>, active: true }
}

function readValue(
  field: Field,
  text: string,
  values: Record<string, Value>,
  problems: Record<string, string>,
): void {
  const result = typeOf(field).safeParse(text)
  if (result.success) values[field.name] = result.data as Value
  else problems[field.name] = sentences(result.error)[0]!.replace(/^body /, '')
}

/** Where the wiki and the issues of a project are, if they are elsewhere; the first tracker counts. */
export function outsideOf(ctx: Ctx, projectId: number): Outside {
  const active = store.activeOf(ctx.db, projectId)
  const text = (row: store.IntegrationRow, name: string): string | null => {
    const found = propertiesOf(row)[name]
    return typeof found === 'string' && found !== '' ? found : null
  }
  const wikiRow = active.find((row) => catalogueOf(row.slug).family === 'documentation')
  const wiki = wikiRow && (text(wikiRow, 'external_wiki_url') ?? text(wikiRow, 'confluence_url'))
  const trackers = active.filter((row) => catalogueOf(row.slug).family === 'issue_tracker')
  const trackerRow = trackers.toSorted((a, b) => a.id - b.id)[0]
  const tracker = trackerRow && (text(trackerRow, 'project_url') ?? text(trackerRow, 'url'))
  return {
    wiki: wiki ? { title: titleOf(wikiRow), url: wiki } : null,
    tracker: tracker
      ? { title: titleOf(trackerRow), url: tracker, new_issue_url: text(trackerRow, 'new_issue_url') }
      : null,
  }
}

function titleOf(row: store.IntegrationRow): string {
  return catalogueOf(row.slug).title
}
