import type { Ctx } from '../../../ctx.ts'
import type { HookColumns, HookRow } from './store.ts'

/** What is secret about a webhook, open. */
export interface HookSecrets {
  /** With `{name}` where a variable stands. */
  readonly url: string
  readonly token: string | null
  readonly url_variables: Readonly<Record<string, string>>
  readonly custom_headers: Readonly<Record<string, string>>
}

/** A webhook with its secrets. */
export interface OpenHook {
  readonly row: HookRow
  readonly secrets: HookSecrets
}

type Sealing = Pick<Ctx, 'secrets'>

/** Opens a webhook. Throws when the key of the instance is another one than it was sealed with. */
export function openHook(ctx: Sealing, row: HookRow): OpenHook {
  const open = (sealed: string, column: keyof HookSecrets) =>
    ctx.secrets.open(sealed, `web_hooks.${column}`).toString()
  const openMap = (sealed: string | null, column: keyof HookSecrets) =>
    sealed === null ? {} : (JSON.parse(open(sealed, column)) as Record<string, string>)
  return {
    row,
    secrets: {
      url: open(row.url, 'url'),
      token: row.token === null ? null : open(row.token, 'token'),
      url_variables: openMap(row.url_variables, 'url_variables'),
      custom_headers: openMap(row.custom_headers, 'custom_headers'),
    },
  }
}

/** The columns in which secrets are kept. */
export function sealed(
  ctx: Sealing,
  secrets: HookSecrets,
): Pick<HookColumns, keyof HookSecrets> & { url: string } {
  const seal = (plain: string, column: keyof HookSecrets) => ctx.secrets.seal(plain, `web_hooks.${column}`)
  const sealMap = (values: Readonly<Record<string, string>>, column: keyof HookSecrets) =>
    Object.keys(values).length === 0 ? null : seal(JSON.stringify(values), column)
  return {
    url: seal(secrets.url, 'url'),
    token: secrets.token === null ? null : seal(secrets.token, 'token'),
    url_variables: sealMap(secrets.url_variables, 'url_variables'),
    custom_headers: sealMap(secrets.custom_headers, 'custom_headers'),
  }
}
