import type { Kind } from '../../webhooks/index.ts'

/** Groups of similar integrations, which the window shows together. */
export type Family =
  | 'chat'
  | 'issue_tracker'
  | 'ci_server'
  | 'task_comments'
  | 'notification'
  | 'monitoring'
  | 'documentation'
  | 'registry'
  | 'commands'

/** A further check of a field. `address`: the instance sends requests there. `link`: users open it. */
export type Format = 'address' | 'link' | 'regex'

/** One setting of an integration. */
export interface Field {
  readonly name: string
  /** The label in the window. */
  readonly title: string
  /** `text` is one line, `lines` are several. */
  readonly type: 'text' | 'lines' | 'boolean' | 'integer' | 'choice'
  readonly choices?: readonly string[]
  readonly default?: string | boolean | number
  /** Stored encrypted and never returned. */
  readonly is_secret: boolean
  readonly is_required: boolean
  /** Required unless another field has this value. */
  readonly unless?: { readonly name: string; readonly value: string | boolean | number }
  readonly format?: Format
  /** A destination of secrets. A change drops the stored secrets, so that no other server gets them. */
  readonly is_destination?: boolean
  readonly min?: number
  readonly max?: number
  /** A regular expression that a value which is not empty has to match. */
  readonly pattern?: RegExp
  /** Available in the API only: outdated, or set in another way in the window. */
  readonly is_hidden?: boolean
  readonly help?: string
}

/** The declaration of an integration. */
export interface Integration {
  readonly slug: string
  readonly title: string
  readonly family: Family
  /** One sentence for people. */
  readonly description: string
  readonly fields: readonly Field[]
  /** The events it can listen to. */
  readonly events: readonly Kind[]
  /** Flags that its PUT takes: those of its events, and further ones that clients send. */
  readonly flags: readonly Flag[]
  /** Flags of kinds that differ from the usual ones. */
  readonly flagOf?: Partial<Readonly<Record<Kind, Flag>>>
  /** Not shown in the window. */
  readonly is_hidden?: boolean
  /** Cannot be set up here, only at its vendor. */
  readonly is_foreign?: boolean
}

/** Flags of an integration with what a new one has (spec administration 3.2), in the order in which they are answered. */
export const FLAG_DEFAULTS = {
  commit_events: true,
  push_events: true,
  issues_events: true,
  alert_events: true,
  incident_events: false,
  confidential_issues_events: true,
  merge_requests_events: true,
  tag_push_events: true,
  deployment_events: false,
  note_events: true,
  confidential_note_events: true,
  pipeline_events: true,
  wiki_page_events: true,
  job_events: true,
  archive_trace_events: false,
  vulnerability_events: false,
  comment_on_event_enabled: true,
} as const

export type Flag = keyof typeof FLAG_DEFAULTS

/** The flag that a kind of event usually has. */
export const FLAG_OF: Partial<Readonly<Record<Kind, Flag>>> = {
  push: 'push_events',
  tag_push: 'tag_push_events',
  issue: 'issues_events',
  confidential_issue: 'confidential_issues_events',
  merge_request: 'merge_requests_events',
  note: 'note_events',
  confidential_note: 'confidential_note_events',
  pipeline: 'pipeline_events',
  wiki_page: 'wiki_page_events',
  job: 'job_events',
  deployment: 'deployment_events',
}

/** The declared parts of an integration; the rest is derived. */
type Described = Omit<Integration, 'flags' | 'events' | 'family'> & {
  readonly events?: readonly Kind[]
  /** Further flags. */
  readonly flags?: readonly Flag[]
}

/** The integrations of a family. */
export function family(name: Family, ...all: readonly Described[]): readonly Integration[] {
  return all.map(({ events = [], flags = [], ...rest }) => {
    const own = events.flatMap((kind) => rest.flagOf?.[kind] ?? FLAG_OF[kind] ?? [])
    return { ...rest, family: name, events, flags: [...new Set([...own, ...flags])] }
  })
}

type Rest = Partial<Omit<Field, 'name' | 'title' | 'is_secret'>>

/** A setting that is not secret. */
export function field(name: string, title: string, rest: Rest = {}): Field {
  return { name, title, type: 'text', is_secret: false, is_required: false, ...rest }
}

/** A required setting. */
export function required(name: string, title: string, rest: Rest = {}): Field {
  return field(name, title, { is_required: true, ...rest })
}

/** A secret setting, required by default. */
export function secret(name: string, title: string, rest: Rest = {}): Field {
  return { ...required(name, title, rest), is_secret: true }
}

/** The address of a server that gets requests with secrets. */
export function server(name: string, title: string, rest: Rest = {}): Field {
  return required(name, title, { format: 'address', is_destination: true, ...rest })
}

/** Whether to verify the certificate of a server. */
export const SSL = field('enable_ssl_verification', 'Verify the certificate of the server', {
  type: 'boolean',
  default: true,
})

/** The branches that trigger events. Tags always do. */
export function branches(byDefault: 'all' | 'default'): Field {
  return field('branches_to_be_notified', 'Branches', {
    type: 'choice',
    choices: ['all', 'default', 'protected', 'default_and_protected'],
    default: byDefault,
    help: 'Which branches trigger events. Tags always do.',
  })
}

/** Whether to leave out successful pipelines. */
export const ONLY_BROKEN = field('notify_only_broken_pipelines', 'Only broken pipelines', {
  type: 'boolean',
  default: true,
  help: 'Send no messages about successful pipelines.',
})

/** The older form of `branches_to_be_notified`. */
export const ONLY_DEFAULT_BRANCH = field('notify_only_default_branch', 'Only the default branch', {
  type: 'boolean',
  is_hidden: true,
  help: 'Outdated: `branches_to_be_notified` says it.',
})
