import type { Ctx } from '../../ctx.ts'
import type { Settings } from './catalogue/settings.ts'
import { secretNames, secretSettings, type SecretName } from './catalogue/secret-settings.ts'
import * as store from './store.ts'

const purpose = (name: string) => `application_settings.${name}` as const

/**
 * Returns the decrypted value of a secret setting, or null. Throws if it was encrypted with another key of the
 * instance.
 */
export function secretSetting(ctx: Pick<Ctx, 'db' | 'now' | 'secrets'>, name: SecretName): string | null {
  const text = store.load(ctx.db, ctx.now).secrets[name]
  return text === undefined ? null : ctx.secrets.open(text, purpose(name)).toString()
}

/** Separates the values in a request into settings and secret settings, without undefined values. */
export function separateSecrets(input: Readonly<Record<string, unknown>>): {
  changes: Partial<Settings>
  secrets: Partial<Record<SecretName, string | null>>
} {
  const defined = Object.entries(input).filter(([, value]) => value !== undefined)
  const isSecret = ([name]: [string, unknown]): boolean => Object.hasOwn(secretSettings, name)
  return {
    changes: Object.fromEntries(defined.filter((entry) => !isSecret(entry))) as Partial<Settings>,
    secrets: Object.fromEntries(defined.filter(isSecret)) as Partial<Record<SecretName, string | null>>,
  }
}

/** Encrypts secrets for the database. Null stays null, which deletes the secret. */
export function sealSecrets(
  ctx: Pick<Ctx, 'secrets'>,
  input: Readonly<Partial<Record<SecretName, string | null>>>,
): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      value ? ctx.secrets.seal(value, purpose(name)) : null,
    ]),
  )
}

/**
 * Returns the secret settings with a value, for administrators: the clear text if the contract returns it, otherwise
 * `true`. A value that was encrypted with another key counts as absent.
 */
export function visibleSecrets(
  ctx: Pick<Ctx, 'secrets'>,
  stored: Readonly<Record<string, string>>,
): Partial<Record<SecretName, string | true>> {
  const decrypt = (name: SecretName, text: string): string | undefined => {
    try {
      return ctx.secrets.open(text, purpose(name)).toString()
    } catch {
      return undefined
    }
  }
  const defined = secretNames.flatMap((name) => {
    const text = stored[name]
    const value = text && (secretSettings[name].shown ? decrypt(name, text) : true)
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  return Object.fromEntries(defined)
}
