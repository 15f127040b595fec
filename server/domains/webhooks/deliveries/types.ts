import type { Purpose } from '../../../lib/outbound.ts'

/** Who is told: a webhook, or an integration of a project. */
export type Target = { readonly hook_id: number } | { readonly integration_id: number }

/** What the log says of every attempt, whatever way it took. */
export interface Logged {
  readonly target: Target
  /** Where it is, for those who watch: at most one of the two. */
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  /** The row of `hook_events` that is told. */
  readonly event_id?: number | undefined
  /** `push_hooks`, `issue_hooks`, … */
  readonly trigger: string
  /** The same for all attempts of one delivery; a new one otherwise. */
  readonly uuid?: string | undefined
  /** From 1. */
  readonly attempt?: number | undefined
  readonly is_test?: boolean | undefined
  /** The delivery that is repeated. */
  readonly repeats_id?: number | undefined
  /** What must not stand in the log wherever it occurs: tokens, passwords. */
  readonly secrets?: readonly string[] | undefined
}

/** One HTTP request to send. */
export interface DeliveryRequest extends Logged {
  readonly method?: string | undefined
  /** With a user name and password, it goes out as basic authorization. */
  readonly url: string
  /** What the log shows in its place; the address without what is secret otherwise. */
  readonly shown_url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Null: the payload of the event as it is (JSON). Undefined: none. */
  readonly body?: string | null | undefined
  /** That payload, where the caller has read it already; large ones take time to open. */
  readonly payload?: string | undefined
  readonly trustAnyCertificate?: boolean | undefined
  readonly purpose?: Purpose | undefined
}

/** How an attempt ended. */
export interface SentOut {
  readonly delivery_id: number
  /** The answer was 2xx or 3xx (spec administration 3.7). */
  readonly is_ok: boolean
  /** Null where there was no answer. */
  readonly status: number | null
  /** Why there was none, as a sentence. */
  readonly error: string | null
}
