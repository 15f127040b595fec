import type { Ctx } from '../../../ctx.ts'
import { Refusal } from '../smart_http/access.ts'
import type { OpenGitTarget } from '../../../git-target.ts'
import type { SshCommand } from '../ssh/git-over-ssh.ts'
import { openFor, GRANT_SECONDS, grantHeader } from './enter.ts'

const MAX_LENGTH = 4096
const COMMAND =
  /^git-lfs-authenticate +(?:'((?:[^'\\]|'\\'')+)'|([^\s'"\\$`;&|<>()]+)) +'?(download|upload)'?(?: +\S+)?\s*$/

/** Returns true for the SSH command with which LFS clients request an HTTP address and credentials. */
export function isLfsCommand(text: string): boolean {
  return text.startsWith('git-lfs-authenticate ')
}

/** Answers with the LFS address and a grant for half an hour. Resolves to the exit code. */
export async function authenticateLfs(
  ctx: Ctx,
  targets: readonly OpenGitTarget[],
  { text, stdout, stderr }: Pick<SshCommand, 'text' | 'stdout' | 'stderr'>,
): Promise<number> {
  try {
    const [, quoted, plain, operation] = (text.length > MAX_LENGTH ? null : COMMAND.exec(text)) ?? []
    const path = (quoted ?? plain)?.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
    if (!path || path.includes('\0'))
      throw new Refusal(400, 'This command is not allowed here; only git is served.')
    const purpose = operation === 'upload' ? 'write' : 'read'
    const target = await openFor(ctx, targets, { path, purpose, protocol: 'ssh' })
    const Authorization = grantHeader(ctx, { project_id: target.project.id, purpose, protocol: 'ssh' })
    stdout.write(
      `${JSON.stringify({
        href: target.url,
        header: Authorization === undefined ? {} : { Authorization },
        expires_in: GRANT_SECONDS,
      })}\n`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof Refusal)) ctx.log.error({ err: error }, 'large files over SSH failed')
    const sentence = error instanceof Refusal ? error.message : 'Large files cannot be served at the moment.'
    stderr.write(`ERROR: ${sentence}\n`)
    return 1
  }
}
