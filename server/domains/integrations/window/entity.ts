import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { type Flag, FLAG_OF, type Integration } from '../catalogue/index.ts'
import { wordsOf } from '../params.ts'
import { flagsOf, propertiesOf } from '../settings.ts'
import type { IntegrationRow } from '../store.ts'

/** An integration beside what the project made of it. */
export interface ListedIntegration {
  readonly one: Integration
  readonly row: IntegrationRow | undefined
}

/** An integration with what its form shows. */
export interface OpenedIntegration extends ListedIntegration {
  /** Names of the secrets that are kept; their values stay here. */
  readonly kept: ReadonlySet<string>
  /** Something is sent, so that it can be tried. */
  readonly canTest: boolean
}

const line = {
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
  /** When it was last changed; null where it was never set up. */
  updated_at: time().nullable(),
}

const lineOf = ({ one, row }: ListedIntegration) => ({
  slug: one.slug,
  title: one.title,
  family: one.family,
  description: one.description,
  active: row?.active === true,
  updated_at: row?.updated_at ?? null,
})

/** An integration in the window's list of all there are. */
export const WindowIntegration = entity('WindowIntegration', line, lineOf)

/** Flags that other clients send although nothing comes of them are not offered. */
function isHeard(one: Integration, flag: Flag): boolean {
  const ofEvents = one.events.map((kind) => one.flagOf?.[kind] ?? FLAG_OF[kind])
  return ofEvents.includes(flag) || (one.events.length > 0 && EXTRA.has(flag))
}

const EXTRA: ReadonlySet<Flag> = new Set(['comment_on_event_enabled', 'archive_trace_events'])

const value = z.union([z.string(), z.boolean(), z.number()]).nullable()

/** An integration as the window's form shows it. */
export const WindowIntegrationForm = entity(
  'WindowIntegrationForm',
  {
    ...line,
    /** Null where it was never set up. */
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
        /** Null for secrets, and for what nobody set. */
        value,
        /** A secret is there, and stays unless another is given. */
        is_kept: z.boolean(),
      }),
    ),
    flags: z.array(z.strictObject({ name: z.string(), title: z.string(), value: z.boolean() })),
  },
  ({ one, row, kept, canTest }: OpenedIntegration) => {
    const set = row ? propertiesOf(row) : {}
    const flags = flagsOf(row ?? { events: '{}' })
    const told = one.flags.filter((flag) => isHeard(one, flag))
    return {
      ...lineOf({ one, row }),
      id: row?.id ?? null,
      can_test: canTest,
      fields: one.fields
        .filter((field) => !field.is_hidden)
        .map((field) => ({
          name: field.name,
          title: field.title,
          type: field.type,
          choices: [...(field.choices ?? [])],
          help: field.help ?? '',
          is_secret: field.is_secret,
          is_required: field.is_required,
          value: field.is_secret ? null : (set[field.name] ?? field.default ?? null),
          is_kept: kept.has(field.name),
        })),
      flags: told.map((flag) => ({ name: flag, title: wordsOf(flag), value: flags[flag] })),
    }
  },
)

/** How a test went. */
export const IntegrationTest = entity(
  'IntegrationTest',
  { is_ok: z.boolean(), message: z.string() },
  (result: { is_ok: boolean; message: string }) => ({ is_ok: result.is_ok, message: result.message }),
)

/** What a project has elsewhere: its wiki, and its issues. */
export interface Outside {
  readonly wiki: { title: string; url: string } | null
  readonly tracker: { title: string; url: string; new_issue_url: string | null } | null
}

/** Where the wiki and the issues of a project are, if they are elsewhere. */
export const WindowOutside = entity(
  'WindowOutside',
  {
    wiki: z.strictObject({ title: z.string(), url: z.string() }).nullable(),
    tracker: z
      .strictObject({ title: z.string(), url: z.string(), new_issue_url: z.string().nullable() })
      .nullable(),
  },
  ({ wiki, tracker }: Outside) => ({ wiki, tracker }),
)
