import type { Kind } from '../../webhooks/index.ts'

/** Groups of similar integrations. The window shows each group together. */
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

/** How a value is validated. `address`: a URL that the instance sends requests to. `link`: a URL that users open. */
export type Format = 'address' | 'link' | 'regex'

/** One setting of an integration. */
export interface Field {
  readonly name: string
  /** The label in the window. */
  readonly title: string
  /** `text` has one line, `lines` has several. */
  readonly type: 'text' | 'lines' | 'boolean' | 'integer' | 'choice'
  readonly choices?: readonly string[]
  readonly default?: string | boolean | number
  /** Stored encrypted and never returned. */
  readonly is_secret: boolean
  readonly is_required: boolean
  /** Required unless another field has this value. */
  readonly unless?: { readonly name: string; readonly value: string | boolean | number }
  readonly format?: Format
  /**
   * Secrets are sent to this address. When it changes, the stored secrets are deleted, so that no other server gets
   * them.
   */
  readonly is_destination?: boolean
  readonly min?: number
  readonly max?: number
  /** A regular expression that the value must match unless it is empty. */
  readonly pattern?: RegExp
  /** Not shown in the window, because the setting is outdated or the window sets it in another way. */
  readonly is_hidden?: boolean
  readonly help?: string
}

/** The declaration of an integration. */
export interface Integration {
  readonly slug: string
  readonly title: string
  readonly family: Family
  /** One sentence that describes it to users. */
  readonly description: string
  readonly fields: readonly Field[]
  /** The kinds of events it can listen to. */
  readonly events: readonly Kind[]
  /** The flags that its PUT endpoint accepts: those of its events, and others that clients send. */
  readonly flags: readonly Flag[]
  /** The flags of kinds of events that do not use their default flag. */
  readonly flagOf?: Partial<Readonly<Record<Kind, Flag>>>
  /** Not shown in the window. */
  readonly is_hidden?: boolean
  /** Users set it up at the vendor, not on the instance. */
  readonly is_foreign?: boolean
}

/** The flags of an integration with their defaults (spec administration 3.2), in the order of the answer. */
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

/** The default flag of a kind of event. */
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

/** The parts of an integration that are declared. `family` computes the others. */
type Declaration = Omit<Integration, 'flags' | 'events' | 'family'> & {
  readonly events?: readonly Kind[]
  /** Flags in addition to those of the events. */
  readonly flags?: readonly Flag[]
}

/** Declares the integrations of a family. */
export function family(name: Family, ...declarations: readonly Declaration[]): readonly Integration[] {
  return declarations.map(({ events = [], flags = [], ...options }) => {
    const ownFlags = events.flatMap((kind) => options.flagOf?.[kind] ?? FLAG_OF[kind] ?? [])
    return { ...options, family: name, events, flags: [...new Set([...ownFlags, ...flags])] }
  })
}

type FieldOptions = Partial<Omit<Field, 'name' | 'title' | 'is_secret'>>

/** Declares a setting that is not secret. */
export function field(name: string, title: string, options: FieldOptions = {}): Field {
  return { name, title, type: 'text', is_secret: false, is_required: false, ...options }
}

/** Declares a required setting. */
export function required(name: string, title: string, options: FieldOptions = {}): Field {
  return field(name, title, { is_required: true, ...options })
}

/** Declares a secret setting. It is required by default. */
export function secret(name: string, title: string, options: FieldOptions = {}): Field {
  return { ...required(name, title, options), is_secret: true }
}

/** Declares the URL of a server that gets requests with secrets. */
export function server(name: string, title: string, options: FieldOptions = {}): Field {
  return required(name, title, { format: 'address', is_destination: true, ...options })
}

/** The setting that turns the verification of certificates on or off. */
export const SSL = field('enable_ssl_verification', 'Verify the certificate of the server', {
  type: 'boolean',
  default: true,
})

/** Declares the setting with the branches that trigger events. */
export function branches(byDefault: 'all' | 'default'): Field {
  return field('branches_to_be_notified', 'Branches', {
    type: 'choice',
    choices: ['all', 'default', 'protected', 'default_and_protected'],
    default: byDefault,
    help: 'The branches that trigger events. Tags always trigger events.',
  })
}

/** The setting that leaves out successful pipelines. */
export const ONLY_BROKEN = field('notify_only_broken_pipelines', 'Only broken pipelines', {
  type: 'boolean',
  default: true,
  help: 'Send no messages about successful pipelines.',
})

/** The older form of `branches_to_be_notified`. */
export const ONLY_DEFAULT_BRANCH = field('notify_only_default_branch', 'Only the default branch', {
  type: 'boolean',
  is_hidden: true,
  help: 'Deprecated: use `branches_to_be_notified`.',
})
