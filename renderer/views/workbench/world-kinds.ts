import { t } from '../../locales/t.ts'

/** What an application of a world counts. */
const KINDS: Record<string, string> = {
  users: t('common.users'),
  tokens: t('workbench.tokens'),
  groups: t('common.groups'),
  members: t('common.members'),
  labels: t('common.labels'),
  milestones: t('common.milestones'),
  variables: t('common.variables'),
  runners: t('common.runners'),
  projects: t('common.projects'),
  stars: t('projects.stars'),
  commits: t('common.commits'),
  branches: t('common.branches'),
  tags: t('common.tags'),
  issues: t('common.issues'),
  notes: t('common.comments'),
  discussions: t('workbench.threads'),
  merge_requests: t('common.merge_requests'),
  approvals: t('common.approvals'),
  pipelines: t('common.pipelines'),
  environments: t('common.environments'),
  deployments: t('webhooks.deployments'),
  releases: t('common.releases'),
  hooks: t('common.webhooks'),
  wiki: t('webhooks.wiki_pages'),
}
export const kindWord = (kind: string): string => KINDS[kind] ?? kind
