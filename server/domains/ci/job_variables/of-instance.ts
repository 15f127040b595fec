import type { Ctx } from '../../../ctx.ts'
import {
  CI_CONFIG_FILE,
  CI_MARKER,
  FEATURES_VARIABLE,
  SERVICE_NAME,
  USER_VARIABLES,
} from '../../../lib/aliases.ts'
import { settingsOf } from '../../settings/index.ts'
import { autoDevops, fullPath, type Project } from '../../projects/index.ts'
import { slugOf } from '../../ci_config/index.ts'
import { publicItems, rawItems, type VariableItem } from './item.ts'
import { languagesOf } from './store.ts'
import type { VariableUser } from './predefined.ts'

/**
 * The variables about the instance (spec ci 2.13). Those of missing features (registries, dependency proxy, Pages,
 * GraphQL) are left out, because scripts would try to use them.
 */
export function serverItems({ config }: Pick<Ctx, 'config'>): VariableItem[] {
  const { host, hostname, port, protocol } = new URL(config.url)
  const [major = '', minor = '', patch = ''] = config.version.split('-')[0]!.split('.')
  return publicItems({
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

/** The variables about the project. */
export function projectItems(ctx: Pick<Ctx, 'config' | 'db' | 'now'>, project: Project): VariableItem[] {
  const { config, db } = ctx
  const { auto_devops_domain: domain } = settingsOf(ctx)
  const path = fullPath(project)
  return [
    ...publicItems({
      CI_PROJECT_ID: project.id,
      CI_PROJECT_NAME: project.path,
    }),
    ...rawItems({ CI_PROJECT_TITLE: project.name, CI_PROJECT_DESCRIPTION: project.description ?? '' }),
    ...publicItems({
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
      // The domain to which Auto DevOps templates deploy.
      KUBE_INGRESS_BASE_DOMAIN: domain && autoDevops(ctx, project) ? domain : undefined,
    }),
  ]
}

/** The properties of a runner that variables show. */
export interface VariableRunner {
  readonly id: number
  readonly description: string | null
  readonly tag_list: readonly string[]
}

/** The variables about the runner that the instance sets. The runner itself adds its version and executor. */
export function runnerItems({ id, description, tag_list }: VariableRunner): VariableItem[] {
  return [
    ...publicItems({ CI_RUNNER_ID: id }),
    ...rawItems({ CI_RUNNER_DESCRIPTION: description ?? '' }),
    ...publicItems({ CI_RUNNER_TAGS: tag_list.join(', ') }),
  ]
}

/** The variables about the user of a job, who started the pipeline or the manual job. */
export function actorItems(user: VariableUser | null | undefined): VariableItem[] {
  if (!user) return []
  return [
    ...publicItems({
      [USER_VARIABLES.id]: user.id,
      [USER_VARIABLES.email]: user.email,
      [USER_VARIABLES.login]: user.username,
    }),
    ...rawItems({ [USER_VARIABLES.name]: user.name }),
  ]
}
