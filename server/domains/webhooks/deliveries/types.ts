import type { Purpose } from '../../../lib/outbound.ts'

/** The receiver: a webhook, or an integration of a project. */
export type Target = { readonly hook_id: number } | { readonly integration_id: number }

/** The parts of an attempt that the log stores for every protocol. */
export interface AttemptData {
  readonly target: Target
  /** The owner of the receiver: at most one of the two. */
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  /** The row of `hook_events` that is delivered. */
  readonly event_id?: number | undefined
  /** `push_hooks`, `issue_hooks`, … */
  readonly trigger: string
  /** All attempts of one delivery have the same value. */
  readonly uuid?: string | undefined
  /** Number of the attempt, counted from 1. */
  readonly attempt?: number | undefined
  readonly is_test?: boolean | undefined
  /** The delivery that this one sends again. */
  readonly repeats_id?: number | undefined
  /** Tokens and passwords to mask in the log. */
  readonly secrets?: readonly string[] | undefined
}

/** One HTTP request to send. */
export interface DeliveryRequest extends AttemptData {
  readonly method?: string | undefined
  /** A user name and password in it are sent as basic authorization. */
  readonly url: string
  /** The URL to log instead; by default the URL with secrets masked. */
  readonly logged_url?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Null to send the payload of the event (JSON), undefined for no body. */
  readonly body?: string | null | undefined
  /** The payload, if the caller has already decrypted it. */
  readonly payload?: string | undefined
  readonly trustAnyCertificate?: boolean | undefined
  readonly purpose?: Purpose | undefined
}

/** The result of an attempt. */
export interface DeliveryResult {
  readonly delivery_id: number
  /** The status was 2xx or 3xx (spec administration 3.7). */
  readonly is_ok: boolean
  /** Null if there was no response. */
  readonly status: number | null
  /** The reason for a missing response, as a sentence. */
  readonly error: string | null
}
