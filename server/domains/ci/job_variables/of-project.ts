import type { Ctx } from '../../../ctx.ts'
import { CI_CONFIG_FILE } from '../../../http/aliases.ts'
import { autoDevops, fullPath, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { slugOf } from '../../ci_config/index.ts'
import { plain, texts, type Item } from './item.ts'
import { languagesOf } from './store.ts'

/** Where the configuration of a project lies. */
export function configPath(project: Pick<Project, 'ci_config_path'>): string {
  return project.ci_config_path || CI_CONFIG_FILE
}

/** What tells a script whose code it works on. */
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
      // Where templates for pipelines without a configuration bring what they build.
      KUBE_INGRESS_BASE_DOMAIN: domain && autoDevops(ctx, project) ? domain : undefined,
    }),
  ]
}
