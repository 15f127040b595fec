import type { Param } from '../../../http/param.ts'
import { text } from '../../../http/params.ts'

const secret = (description: string) =>
  text({ max: 4096 })
    .nullable()
    .optional()
    .describe(`${description}; no answer shows it, \`null\` forgets it`)

/**
 * Settings that are only ever written: sealed in the database and in no answer. `GET /application/settings` says
 * `<name>_set` instead, and `secretSetting()` opens one for the code that needs it.
 */
export const secretSettings = {
  smtp_password: secret('Password at the mail server'),
} satisfies Record<string, Param<unknown>>

/** Name of a secret setting. */
export type SecretName = keyof typeof secretSettings
export const secretNames = Object.keys(secretSettings) as SecretName[]
