import type { RouteRecordRaw } from 'vue-router'
import { mirrorRoutes } from '../mirrors/routes.ts'
import { hookRoutes } from '../webhooks/routes.ts'

export const routes: RouteRecordRaw[] = [
  // Only below the path of a project: a file may be called like this, too.
  {
    path: '/:full_path((?!.*/-/\\)(?!groups/\\).+/.+)/edit',
    redirect: (to) => `/${String(to.params['full_path'])}/-/settings/general`,
  },
]

export const projectRoutes: RouteRecordRaw[] = [
  {
    path: '-/settings',
    component: () => import('./SettingsFrame.vue'),
    children: [
      { path: '', redirect: (to) => `${to.path.replace(/\/$/, '')}/general` },
      { path: 'general', component: () => import('./GeneralView.vue') },
      { path: 'features', component: () => import('./FeaturesView.vue') },
      { path: 'merge_requests', component: () => import('./MergeRequestsView.vue') },
      { path: 'approvals', component: () => import('./ApprovalsView.vue') },
      { path: 'repository', component: () => import('./RepositoryView.vue') },
      { path: 'push_rules', component: () => import('../push-rules/ProjectPushRulesView.vue') },
      { path: 'ci_cd', component: () => import('./CiView.vue') },
      { path: 'runners', component: () => import('./RunnersView.vue') },
      { path: 'triggers', component: () => import('./TriggersView.vue') },
      { path: 'variables', component: () => import('./VariablesView.vue') },
      { path: 'secure_files', component: () => import('./SecureFilesView.vue') },
      { path: 'integrations', component: () => import('../integrations/IntegrationsView.vue') },
      { path: 'integrations/:slug', component: () => import('../integrations/IntegrationView.vue') },
      { path: 'access_tokens', component: () => import('./AccessTokensView.vue') },
      { path: 'deploy_keys', component: () => import('./DeployKeysView.vue') },
      { path: 'deploy_tokens', component: () => import('./DeployTokensView.vue') },
      ...hookRoutes('hooks', 'project'),
      ...mirrorRoutes,
      { path: 'audit_events', component: () => import('../audit/ProjectAuditView.vue') },
      { path: 'export', component: () => import('../export/ExportView.vue') },
      { path: 'advanced', component: () => import('./AdvancedView.vue') },
    ],
  },
]
