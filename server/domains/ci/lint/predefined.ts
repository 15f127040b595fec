import type { Ctx } from '../../../ctx.ts'
import { findCommit } from '../../../git/commits.ts'
import { fullPath, repoOf, type Project } from '../../projects/index.ts'
import { CI_CONFIG_FILE, CI_MARKER } from '../../../http/aliases.ts'
import { slugOf } from '../config/select/slug.ts'
import type { Variable } from '../config/variables.ts'
import type { Target } from './target.ts'

/** Variables that the instance gives before there is a pipeline (spec ci 2.13, phase A), for a push to the target. */
export async function predefinedFor(ctx: Ctx, project: Project, target: Target | null): Promise<Variable[]> {
  const values: Record<string, string> = {
    CI: 'true',
    [CI_MARKER]: 'true',
    ...ofServer(ctx),
    ...ofProject(ctx, project),
    CI_PIPELINE_SOURCE: 'push',
    CI_PIPELINE_CREATED_AT: ctx.now,
    ...(target ? await ofCommit(ctx, project, target) : {}),
  }
  return Object.entries(values).map(([key, value]) => ({ key, value }))
}

function ofServer({ config }: Ctx): Record<string, string> {
  const { host, port, protocol } = new URL(config.url)
  return {
    CI_SERVER_URL: config.url,
    CI_SERVER_HOST: host.replace(/:\d+$/, ''),
    CI_SERVER_PORT: port || (protocol === 'https:' ? '443' : '80'),
    CI_SERVER_PROTOCOL: protocol.replace(':', ''),
    CI_API_V4_URL: `${config.url}/api/v4`,
  }
}

function ofProject({ config }: Ctx, project: Project): Record<string, string> {
  const path = fullPath(project)
  return {
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_PATH: path,
    CI_PROJECT_PATH_SLUG: slugOf(path),
    CI_PROJECT_NAMESPACE: project.namespace_full_path,
    CI_PROJECT_NAMESPACE_ID: String(project.namespace_id),
    CI_PROJECT_ROOT_NAMESPACE: project.namespace_full_path.split('/')[0]!,
    CI_PROJECT_URL: `${config.url}/${path}`,
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_DEFAULT_BRANCH: project.default_branch,
    CI_CONFIG_PATH: configPath(project),
  }
}

async function ofCommit(
  ctx: Ctx,
  project: Project,
  { ref, sha, kind, isProtected }: Target,
): Promise<Record<string, string>> {
  const commit = await findCommit(repoOf(ctx, project), sha)
  const message = commit?.message ?? ''
  const [title = '', ...rest] = message.split('\n')
  return {
    CI_COMMIT_SHA: sha,
    CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: '0'.repeat(40),
    CI_COMMIT_REF_NAME: ref,
    CI_COMMIT_REF_SLUG: slugOf(ref),
    CI_COMMIT_REF_PROTECTED: String(isProtected),
    ...(kind === 'tag' ? { CI_COMMIT_TAG: ref } : { CI_COMMIT_BRANCH: ref }),
    CI_COMMIT_MESSAGE: message,
    CI_COMMIT_TITLE: title,
    CI_COMMIT_DESCRIPTION: rest.join('\n').trim(),
  }
}

/** Where the configuration of a project lies. */
export function configPath(project: Pick<Project, 'ci_config_path'>): string {
  return project.ci_config_path || CI_CONFIG_FILE
}
