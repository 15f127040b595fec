import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import { catalogueOf, type Flag, FLAG_DEFAULTS } from './catalogue/index.ts'
import { flagsOf, propertiesOf } from './settings.ts'
import type { IntegrationRow } from './store.ts'

const FLAGS = Object.keys(FLAG_DEFAULTS).filter((flag) => flag !== 'archive_trace_events') as Flag[]
const flags = Object.fromEntries(FLAGS.map((flag) => [flag, z.boolean()]))

const fields = {
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  created_at: time(),
  updated_at: time(),
  active: z.boolean(),
  ...flags,
  /** Newer clients expect this field. Integrations are never inherited here. */
  inherited: z.boolean(),
}

function fieldsOf(row: IntegrationRow) {
  const set = flagsOf(row)
  return {
    id: row.id,
    title: catalogueOf(row.slug).title,
    slug: row.slug,
    created_at: row.created_at,
    updated_at: row.updated_at,
    active: row.active,
    ...Object.fromEntries(FLAGS.map((flag) => [flag, set[flag]])),
    inherited: false,
  }
}

/** An integration in the list of a project (spec administration 3.2). */
export const Integration = entity('Integration', fields, fieldsOf)

/** The settings with the flag of job logs, because clients expect it there. */
function shownProperties(row: IntegrationRow): Record<string, string> {
  const has = catalogueOf(row.slug).flags.includes('archive_trace_events')
  const more = has ? { archive_trace_events: flagsOf(row).archive_trace_events } : {}
  return { ...propertiesOf(row), ...more } as Record<string, string>
}

/** An integration with its settings, without secrets. */
export const IntegrationSettings = entity(
  'IntegrationSettings',
  { ...fields, properties: z.record(z.string(), z.union([z.string(), z.boolean(), z.number()])) },
  (row: IntegrationRow) => ({ ...fieldsOf(row), properties: shownProperties(row) }),
)
