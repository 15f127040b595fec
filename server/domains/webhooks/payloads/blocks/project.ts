import type { Ctx } from '../../../../ctx.ts'
import { sshAddress } from '../../../../lib/ssh/address.ts'
import { type Visibility, VISIBILITY_RANK } from '../../../../policy/levels.ts'
import { fullPath, type Project } from '../../../projects/index.ts'

/** Page of a project, without a final slash. */
export function projectUrl(ctx: Pick<Ctx, 'config'>, project: Project): string {
  return `${ctx.config.url}/${fullPath(project)}`
}

/** How open a project or snippet is, as a number: 0, 10 or 20. */
export function visibilityLevel(visibility: string): number {
  return VISIBILITY_RANK[visibility as Visibility]
}

function avatarUrl(ctx: Pick<Ctx, 'config'>, project: Project): string | null {
  if (!project.avatar) return null
  const name = encodeURIComponent(project.avatar)
  return `${ctx.config.url}/uploads/-/system/project/avatar/${project.id}/${name}`
}

/** A project as events of pipelines have it, without the older names of its addresses (spec administration 3.8, P). */
export function shortProjectBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  const webUrl = projectUrl(ctx, project)
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: webUrl,
    avatar_url: avatarUrl(ctx, project),
    git_ssh_url: sshAddress(fullPath(project), ctx.config),
    git_http_url: `${webUrl}.git`,
    namespace: project.namespace_name,
    visibility_level: visibilityLevel(project.visibility),
    path_with_namespace: fullPath(project),
    default_branch: project.default_branch,
    ci_config_path: project.ci_config_path,
  }
}

/** A project in an event (spec administration 3.8, P). */
export function projectBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  const block = shortProjectBlock(ctx, project)
  return {
    ...block,
    homepage: block.web_url,
    url: block.git_ssh_url,
    ssh_url: block.git_ssh_url,
    http_url: block.git_http_url,
  }
}

/** The repository of a project, the older form of the same (spec administration 3.8, R). */
export function repositoryBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  return {
    name: project.name,
    url: sshAddress(fullPath(project), ctx.config),
    description: project.description,
    homepage: projectUrl(ctx, project),
  }
}

/** The repository as events of pushes and jobs have it. */
export function pushedRepositoryBlock(ctx: Pick<Ctx, 'config'>, project: Project) {
  const { git_http_url, git_ssh_url, visibility_level } = shortProjectBlock(ctx, project)
  return { ...repositoryBlock(ctx, project), git_http_url, git_ssh_url, visibility_level }
}
