import type { RouteRecordRaw } from 'vue-router'
import { hookRoutes } from '../webhooks/routes.ts'
import { groupTransferRoutes } from '../group-transfer/routes.ts'
import { groupWikiRoutes } from '../wikis/routes.ts'

/** All views of a group share one frame, which loads the group once. */
export const routes: RouteRecordRaw[] = [
  { path: '/groups', component: () => import('./GroupsView.vue') },
  { path: '/groups/new', component: () => import('./NewGroupView.vue') },
  ...groupTransferRoutes,
  {
    path: '/groups/:full_path(.+?)',
    component: () => import('./GroupFrame.vue'),
    meta: { open: true, whole: true },
    children: [
      { path: '', component: () => import('./GroupPage.vue') },
      { path: '-/activity', component: () => import('../activity/GroupActivityView.vue') },
      { path: '-/group_members', component: () => import('../members/GroupMembersView.vue') },
      {
        path: '-/merge_requests',
        component: () => import('../merge-requests/list/MergeRequestsView.vue'),
      },
      { path: '-/issues', component: () => import('../issues/IssuesView.vue') },
      { path: '-/boards/:board(\\d+)?', component: () => import('../boards/GroupBoardsView.vue') },
      {
        path: '-/labels',
        component: () => import('../planning/GroupPlanning.vue'),
        props: { view: 'labels' },
      },
      {
        path: '-/milestones',
        component: () => import('../planning/GroupPlanning.vue'),
        props: { view: 'milestones' },
      },
      {
        path: '-/milestones/:iid(\\d+)',
        component: () => import('../planning/GroupPlanning.vue'),
        props: { view: 'milestone' },
      },
      {
        path: '-',
        component: () => import('../group-settings/SettingsFrame.vue'),
        children: [
          { path: 'edit', component: () => import('../group-settings/GeneralView.vue') },
          { path: 'settings/permissions', component: () => import('../group-settings/PermissionsView.vue') },
          { path: 'settings/push_rules', component: () => import('../push-rules/GroupPushRulesView.vue') },
          { path: 'settings/variables', component: () => import('../group-settings/VariablesView.vue') },
          {
            path: 'settings/access_tokens',
            component: () => import('../group-settings/AccessTokensView.vue'),
          },
          { path: 'settings/repository', component: () => import('../group-settings/DeployTokensView.vue') },
          {
            path: 'settings/applications',
            component: () => import('../group-settings/ApplicationsView.vue'),
          },
          ...hookRoutes('settings/hooks', 'group'),
          { path: 'settings/scim', component: () => import('../scim/GroupScimView.vue') },
          { path: 'settings/audit_events', component: () => import('../audit/GroupAuditView.vue') },
          { path: 'settings/export', component: () => import('../group-transfer/ExportGroupView.vue') },
          { path: 'settings/advanced', component: () => import('../group-settings/AdvancedView.vue') },
        ],
      },
      ...groupWikiRoutes,
      { path: '-/:unknown(.*)', component: () => import('./GroupPageNotFound.vue') },
    ],
  },
  { path: '/dashboard/groups', redirect: '/groups' },
  { path: '/explore/groups', redirect: '/groups?scope=all' },
]
