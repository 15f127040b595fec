import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/help', component: () => import('./HelpView.vue'), meta: { open: true } },
  { path: '/help/whats_new', component: () => import('./NewsView.vue') },
]
