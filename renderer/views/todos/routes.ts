import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/dashboard/todos', component: () => import('./TodosView.vue') },
]
