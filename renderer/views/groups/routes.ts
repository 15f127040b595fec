import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/groups', component: () => import('./GroupsView.vue') },
  { path: '/groups/new', component: () => import('./NewGroupView.vue') },
  { path: '/groups/:full_path(.+)', component: () => import('./GroupView.vue'), meta: { open: true } },
  { path: '/dashboard/groups', redirect: '/groups' },
  { path: '/explore/groups', redirect: '/groups' },
]
