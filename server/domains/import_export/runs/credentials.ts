import type { Ctx } from '../../../ctx.ts'
import type { Run } from './store.ts'

const PURPOSE = 'import_runs.credentials'

/** How an import signs in elsewhere; whatever the importer needs, by name. */
export type ImportCredentials = Readonly<Record<string, string>>

export function sealCredentials(ctx: Pick<Ctx, 'secrets'>, given: ImportCredentials): string {
  return ctx.secrets.seal(JSON.stringify(given), PURPOSE)
}

/** The credentials of an import; empty where it has none, or has them no more. */
export function credentialsOf(ctx: Pick<Ctx, 'secrets'>, run: Pick<Run, 'credentials'>): ImportCredentials {
  if (run.credentials === null) return {}
  return JSON.parse(ctx.secrets.open(run.credentials, PURPOSE).toString()) as ImportCredentials
}
