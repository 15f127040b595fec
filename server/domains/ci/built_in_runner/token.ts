import type { Ctx } from '../../../ctx.ts'
import { runnerByToken } from '../runners/contact.ts'
import { runnerSettings } from '../runners/store.ts'

const PURPOSE = 'runner_settings.built_in_token'

/** The form in which the token of the built-in runner is stored. */
export function sealToken({ secrets }: Pick<Ctx, 'secrets'>, token: string): string {
  return secrets.seal(token, PURPOSE)
}

/** The token of the built-in runner, as long as the instance knows it. */
export function builtInToken(ctx: Pick<Ctx, 'db' | 'now' | 'secrets'>): string | undefined {
  const sealed = runnerSettings(ctx.db)?.built_in_token
  if (!sealed) return undefined
  const token = ctx.secrets.open(sealed, PURPOSE).toString()
  return runnerByToken(ctx, token) ? token : undefined
}
