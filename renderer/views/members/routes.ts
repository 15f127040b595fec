import type { RouteRecordRaw } from 'vue-router'

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/project_members', component: () => import('./ProjectMembersView.vue') },
]
