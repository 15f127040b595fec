import type { Ctx } from '../../../ctx.ts'
import { notFound } from '../../../lib/fail.ts'
import { CATALOGUE, catalogueOf } from '../catalogue/index.ts'
import { CHECKS } from '../delivering/testing.ts'
import { VENDORS } from '../delivering/vendors/index.ts'
import { propertiesOf, secretsOf } from '../settings.ts'
import * as store from '../store.ts'
import type { ListedIntegration, IntegrationForm, ExternalPages } from './entity.ts'

/** Lists all integrations of the catalogue with the project's rows. Hidden ones appear only if they are active. */
export function listIntegrations(ctx: Ctx, projectId: number): ListedIntegration[] {
  const rows = new Map(store.allOf(ctx.db, projectId).map((row) => [row.slug, row]))
  return Array.from(CATALOGUE.values(), (integration) => ({
    integration,
    row: rows.get(integration.slug),
  })).filter(({ integration, row }) => !integration.is_hidden || row?.active === true)
}

/** Loads the form of an integration. Throws `404 Integration Not Found` for an unknown one. */
export function openForm(ctx: Ctx, projectId: number, slug: string): IntegrationForm {
  const integration = CATALOGUE.get(slug)
  if (!integration || integration.is_foreign) throw notFound('Integration')
  const row = store.find(ctx.db, projectId, slug)
  const storedSecrets = new Set(row ? Object.keys(secretsOf(ctx, row)) : [])
  return { integration, row, storedSecrets, canTest: CHECKS.has(slug) || VENDORS.has(slug) }
}

/** Returns the external wiki and issue tracker of a project. Uses the oldest active tracker. */
export function externalPagesOf(ctx: Ctx, projectId: number): ExternalPages {
  const active = store.activeOf(ctx.db, projectId)
  const settingOf = (row: store.IntegrationRow, name: string): string | null => {
    const value = propertiesOf(row)[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const wikiRow = active.find((row) => catalogueOf(row.slug).family === 'documentation')
  const wiki = wikiRow && (settingOf(wikiRow, 'external_wiki_url') ?? settingOf(wikiRow, 'confluence_url'))
  const trackers = active.filter((row) => catalogueOf(row.slug).family === 'issue_tracker')
  const trackerRow = trackers.toSorted((a, b) => a.id - b.id)[0]
  const tracker = trackerRow && (settingOf(trackerRow, 'project_url') ?? settingOf(trackerRow, 'url'))
  return {
    wiki: wiki ? { title: titleOf(wikiRow), url: wiki } : null,
    tracker: tracker
      ? { title: titleOf(trackerRow), url: tracker, new_issue_url: settingOf(trackerRow, 'new_issue_url') }
      : null,
  }
}

function titleOf(row: store.IntegrationRow): string {
  return catalogueOf(row.slug).title
}
