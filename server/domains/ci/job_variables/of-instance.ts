import type { Ctx } from '../../../ctx.ts'
import {
  CI_CONFIG_FILE,
  CI_MARKER,
  FEATURES_VARIABLE,
  SERVICE_NAME,
  USER_VARIABLES,
} from '../../../lib/aliases.ts'
import { settingsOf } from '../../settings/index.ts'
import { autoDevops } from '../../projects/index.ts'
import { type Project, fullPath } from '../../projects/index.ts'
import { slugOf } from '../../ci_config/index.ts'
import { plain, texts, type Item } from './item.ts'
import { languagesOf } from './store.ts'
import type { UserOfVariables } from './predefined.ts'

/**
 * Variables about the instance (spec ci 2.13). Those of missing features are omitted (registries, dependency proxy, Pages,
 * GraphQL), because scripts would try to use them.
 */
export function ofServer({ config }: Pick<Ctx, 'config'>): Item[] {
  const { host, hostname, port, protocol } = new URL(config.url)
  const [major = '', minor = '', patch = ''] = config.version.split('-')[0]!.split('.')
  return plain({
    CI: 'true',
    [CI_MARKER]: 'true',
    CI_SERVER_FQDN: host,
    CI_SERVER_URL: config.url,
    CI_SERVER_HOST: hostname,
    CI_SERVER_PORT: port || (protocol === 'https:' ? '443' : '80'),
    CI_SERVER_PROTOCOL: protocol.replace(':', ''),
    CI_SERVER_SHELL_SSH_HOST: config.sshPort === undefined ? undefined : hostname,
    CI_SERVER_SHELL_SSH_PORT: config.sshPort,
    CI_SERVER_NAME: SERVICE_NAME,
    CI_SERVER_VERSION: config.version,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: config.revision,
    CI_API_V4_URL: `${config.url}/api/v4`,
    [FEATURES_VARIABLE]: '',
  })
}

/** The path of a project's CI configuration. */
export function configPath(project: Pick<Project, 'ci_config_path'>): string {
  return project.ci_config_path || CI_CONFIG_FILE
}

/** Variables about the project. */
export function ofProject(ctx: Pick<Ctx, 'config' | 'db' | 'now'>, project: Project): Item[] {
  const { config, db } = ctx
  const { auto_devops_domain: domain } = settingsOf(ctx)
  const path = fullPath(project)
  return [
    ...plain({
      CI_PROJECT_ID: project.id,
      CI_PROJECT_NAME: project.path,
    }),
    ...texts({ CI_PROJECT_TITLE: project.name, CI_PROJECT_DESCRIPTION: project.description ?? '' }),
    ...plain({
      CI_PROJECT_PATH: path,
      CI_PROJECT_PATH_SLUG: slugOf(path),
      CI_PROJECT_NAMESPACE: project.namespace_full_path,
      CI_PROJECT_NAMESPACE_ID: project.namespace_id,
      CI_PROJECT_ROOT_NAMESPACE: project.namespace_full_path.split('/')[0]!,
      CI_PROJECT_URL: `${config.url}/${path}`,
      CI_PROJECT_VISIBILITY: project.visibility,
      CI_PROJECT_REPOSITORY_LANGUAGES: languagesOf(db, project.id).join(',').toLowerCase(),
      CI_PROJECT_CLASSIFICATION_LABEL: project.external_authorization_classification_label,
      CI_DEFAULT_BRANCH: project.default_branch,
      CI_CONFIG_PATH: configPath(project),
      // Auto DevOps templates deploy here.
      KUBE_INGRESS_BASE_DOMAIN: domain && autoDevops(ctx, project) ? domain : undefined,
    }),
  ]
}

/** Properties of a runner for variables. */
export interface RunnerOfVariables {
  readonly id: number
  readonly description: string | null
  readonly tag_list: readonly string[]
}

/** Variables that the server sets about the runner. The runner sets its version and executor. */
export function ofRunner({ id, description, tag_list }: RunnerOfVariables): Item[] {
  return [
    ...plain({ CI_RUNNER_ID: id }),
    ...texts({ CI_RUNNER_DESCRIPTION: description ?? '' }),
    ...plain({ CI_RUNNER_TAGS: tag_list.join(', ') }),
  ]
}

/** The user of a job: the one who started the pipeline or the manual job. */
export function ofUser(user: UserOfVariables | null | undefined): Item[] {
  if (!user) return []
  return [
    ...plain({
      [USER_VARIABLES.id]: user.id,
      [USER_VARIABLES.email]: user.email,
      [USER_VARIABLES.login]: user.username,
    }),
    ...texts({ [USER_VARIABLES.name]: user.name }),
  ]
}
