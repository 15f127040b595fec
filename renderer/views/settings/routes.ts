import type { RouteRecordRaw } from 'vue-router'
import { listDetail } from '../../list-detail.ts'
import { hookRoutes } from '../webhooks/routes.ts'
import { t } from '../../locales/t.ts'

/** One frame with its column of categories around everything that is set, for oneself and for the instance. */
export const routes: RouteRecordRaw[] = [
  {
    path: '/admin',
    redirect: '/admin/overview',
    component: () => import('./SettingsFrame.vue'),
    meta: { whole: true },
    children: [
      { path: '/-/profile', component: () => import('../profile/ProfileView.vue') },
      { path: '/-/profile/application', component: () => import('../application/ApplicationView.vue') },
      { path: '/-/profile/password/edit', component: () => import('../profile/PasswordView.vue') },
      { path: '/-/profile/emails', component: () => import('../profile/EmailsView.vue') },
      { path: '/-/profile/keys', component: () => import('../profile/KeysView.vue') },
      { path: '/-/profile/gpg_keys', component: () => import('../profile/GpgKeysView.vue') },
      { path: '/-/profile/active_sessions', component: () => import('../profile/SessionsView.vue') },
      { path: '/-/profile/chat_names', component: () => import('../integrations/ChatNamesView.vue') },
      { path: '/-/profile/applications', component: () => import('../oauth/ApplicationsView.vue') },
      { path: '/oauth/applications', redirect: '/-/profile/applications' },
      { path: '/-/profile/authorized_applications', component: () => import('../oauth/AuthorizedView.vue') },
      { path: '/-/profile/personal_access_tokens', component: () => import('../profile/TokensView.vue') },
      { path: '/admin/overview', component: () => import('../administration/OverviewView.vue') },
      { path: '/admin/application_settings', component: () => import('./ApplicationSettingsView.vue') },
      { path: '/admin/application_settings/general', redirect: '/admin/application_settings' },
      { path: '/admin/applications', component: () => import('../oauth/ApplicationsView.vue') },
      { path: '/admin/push_rule', component: () => import('../push-rules/InstancePushRulesView.vue') },
      { path: '/admin/variables', component: () => import('../variables/InstanceVariablesView.vue') },
      ...hookRoutes('/admin/hooks', 'system'),
      {
        path: '/admin/application_settings/appearance',
        component: () => import('../appearance/AppearanceView.vue'),
      },
      { path: '/admin/broadcast_messages', component: () => import('../appearance/MessagesView.vue') },
      { path: '/admin/mails', component: () => import('../mails/MailsView.vue') },
      { path: '/admin/storages', component: () => import('../storage/StoragesView.vue') },
      { path: '/admin/scim', component: () => import('../scim/InstanceScimView.vue') },
      { path: '/admin/audit_log', component: () => import('../audit/InstanceAuditView.vue') },
      { path: '/admin/backups', component: () => import('../backups/BackupsView.vue') },
      listDetail('/admin/users', t('settings.users'), () => import('../users/UsersView.vue'), [
        {
          path: ':username',
          component: () => import('../users/UserAdminView.vue'),
          meta: { eachOwn: true },
        },
      ]),
      { path: '/admin/users/new', component: () => import('../users/NewUserView.vue') },
    ],
  },
]
