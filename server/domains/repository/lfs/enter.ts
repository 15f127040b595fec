import type { Ctx } from '../../../ctx.ts'
import type { WebExchange } from '../../../http/web-route.ts'
import { anonymous, type Actor } from '../../../policy/actor.ts'
import { keepsLargeFiles, type RepositoryType } from '../../storage/index.ts'
import type { Project } from '../../projects/index.ts'
import { admit as admitToGit } from '../smart_http/open-place.ts'
import { challenge, Refusal } from '../smart_http/refusal.ts'
import { identify as identifyForGit } from '../smart_http/credentials.ts'
import { projectAt } from '../smart_http/access.ts'
import type { GitRequest, OpenGitTarget } from '../../../git-target.ts'
import { actorOfGrant, shownGrant, type Grant } from './grants.ts'

/** Large files of one repository, opened for whoever asks. */
export interface LfsTarget {
  /** The context of whoever asks. */
  readonly ctx: Ctx
  readonly project: Project
  /** Its code or its wiki. */
  readonly type: RepositoryType
  /** What the client came over when it was granted this. */
  readonly protocol: 'http' | 'ssh'
  /** The address below which large files are served. */
  readonly url: string
}

const NOT_FOUND = 'Not found.'

/** Who asks over HTTP, by the credentials of git or by a grant, and for the large files of which repository. */
export async function enter(
  exchange: WebExchange,
  kinds: readonly OpenGitTarget[],
  purpose: 'read' | 'write',
): Promise<LfsTarget> {
  const { ctx, match, count } = exchange
  const { actor, grant } = await whoAsks(exchange).catch((error: unknown) => {
    count(anonymous)
    throw error
  })
  count(actor)
  const path = decoded(match[1] ?? '')
  const protocol = grant?.protocol ?? 'http'
  const target = await openFor({ ...ctx, actor }, kinds, { path, purpose, protocol })
  const exceeds =
    grant && (grant.project_id !== target.project.id || (purpose === 'write' && grant.purpose === 'read'))
  if (exceeds) throw challenge()
  return target
}

async function whoAsks({ ctx, req, ip }: WebExchange): Promise<{ actor: Actor; grant?: Grant }> {
  const header = req.headers.authorization
  const grant = shownGrant(ctx, header)
  if (grant === undefined) return { actor: await identifyForGit(ctx, header, ip) }
  const actor = grant === 'void' ? undefined : actorOfGrant(ctx, grant)
  if (!actor || grant === 'void') throw challenge()
  return { actor, grant }
}

/** The large files of an address, for whoever may read or write the repository by git. Throws Refusal. */
export async function openFor(
  ctx: Ctx,
  kinds: readonly OpenGitTarget[],
  request: GitRequest,
): Promise<LfsTarget> {
  const admitted = await admitToGit(ctx, kinds, request)
  const itself = admitted.project ?? projectAt(ctx, request.path)
  const project = itself ?? projectOfWiki(ctx, request.path)
  // Snippets and the wikis of groups have none.
  if (!project || !keepsLargeFiles(ctx, project)) throw new Refusal(404, NOT_FOUND)
  const url = `${ctx.config.url}/${request.path}.git/info/lfs`
  return { ctx, project, type: itself ? 0 : 1, protocol: request.protocol, url }
}

function projectOfWiki(ctx: Ctx, path: string): Project | undefined {
  return path.endsWith('.wiki') ? projectAt(ctx, path.slice(0, -'.wiki'.length)) : undefined
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new Refusal(400, 'The address is not properly encoded.')
  }
}
