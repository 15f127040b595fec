import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { type Flag, FLAG_OF, type Integration } from '../catalogue/index.ts'
import { flagTitle } from '../params.ts'
import { flagsOf, propertiesOf } from '../settings.ts'
import type { IntegrationRow } from '../store.ts'

/** An integration of the catalogue, with the project's row if it was set up. */
export interface ListedIntegration {
  readonly integration: Integration
  readonly row: IntegrationRow | undefined
}

/** An integration with the values of its form. */
export interface IntegrationForm extends ListedIntegration {
  /** The names of the stored secrets. Their values are never sent. */
  readonly storedSecrets: ReadonlySet<string>
  /** True if the integration sends requests, so that users can test it. */
  readonly canTest: boolean
}

const listFields = {
  slug: z.string(),
  title: z.string(),
  family: z.enum([
    'chat',
    'issue_tracker',
    'ci_server',
    'task_comments',
    'notification',
    'monitoring',
    'documentation',
    'registry',
    'commands',
  ]),
  description: z.string(),
  active: z.boolean(),
  /** The time of the last change. Null if it was never set up. */
  updated_at: time().nullable(),
}

const listEntryOf = ({ integration, row }: ListedIntegration) => ({
  slug: integration.slug,
  title: integration.title,
  family: integration.family,
  description: integration.description,
  active: row?.active === true,
  updated_at: row?.updated_at ?? null,
})

/** An integration in the window's list. */
export const WindowIntegration = entity('WindowIntegration', listFields, listEntryOf)

/** True if a flag has an effect. The form leaves out flags that only API clients send. */
function hasEffect(integration: Integration, flag: Flag): boolean {
  const ofEvents = integration.events.map((kind) => integration.flagOf?.[kind] ?? FLAG_OF[kind])
  return ofEvents.includes(flag) || (integration.events.length > 0 && EXTRA.has(flag))
}

const EXTRA: ReadonlySet<Flag> = new Set(['comment_on_event_enabled', 'archive_trace_events'])

const value = z.union([z.string(), z.boolean(), z.number()]).nullable()

/** The form of an integration. */
export const WindowIntegrationForm = entity(
  'WindowIntegrationForm',
  {
    ...listFields,
    /** Null if it was never set up. */
    id: z.int().nullable(),
    can_test: z.boolean(),
    fields: z.array(
      z.strictObject({
        name: z.string(),
        title: z.string(),
        type: z.enum(['text', 'lines', 'boolean', 'integer', 'choice']),
        choices: z.array(z.string()),
        help: z.string(),
        is_secret: z.boolean(),
        is_required: z.boolean(),
        /** Null for secrets and unset fields. */
        value,
        /** True if a secret is stored. It stays unless the request contains a new value. */
        is_kept: z.boolean(),
      }),
    ),
    flags: z.array(z.strictObject({ name: z.string(), title: z.string(), value: z.boolean() })),
  },
  ({ integration, row, storedSecrets, canTest }: IntegrationForm) => {
    const values = row ? propertiesOf(row) : {}
    const flags = flagsOf(row ?? { events: '{}' })
    const shownFlags = integration.flags.filter((flag) => hasEffect(integration, flag))
    return {
      ...listEntryOf({ integration, row }),
      id: row?.id ?? null,
      can_test: canTest,
      fields: integration.fields
        .filter((field) => !field.is_hidden)
        .map((field) => ({
          name: field.name,
          title: field.title,
          type: field.type,
          choices: [...(field.choices ?? [])],
          help: field.help ?? '',
          is_secret: field.is_secret,
          is_required: field.is_required,
          value: field.is_secret ? null : (values[field.name] ?? field.default ?? null),
          is_kept: storedSecrets.has(field.name),
        })),
      flags: shownFlags.map((flag) => ({ name: flag, title: flagTitle(flag), value: flags[flag] })),
    }
  },
)

/** The result of a test. */
export const IntegrationTest = entity(
  'IntegrationTest',
  { is_ok: z.boolean(), message: z.string() },
  (result: { is_ok: boolean; message: string }) => ({ is_ok: result.is_ok, message: result.message }),
)

/** The external wiki and issue tracker of a project. */
export interface ExternalPages {
  readonly wiki: { title: string; url: string } | null
  readonly tracker: { title: string; url: string; new_issue_url: string | null } | null
}

/** The external wiki and issue tracker of a project. */
export const WindowOutside = entity(
  'WindowOutside',
  {
    wiki: z.strictObject({ title: z.string(), url: z.string() }).nullable(),
    tracker: z
      .strictObject({ title: z.string(), url: z.string(), new_issue_url: z.string().nullable() })
      .nullable(),
  },
  ({ wiki, tracker }: ExternalPages) => ({ wiki, tracker }),
)
