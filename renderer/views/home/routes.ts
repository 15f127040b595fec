import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/', component: () => import('./HomeView.vue') },
  { path: '/dashboard', redirect: '/' },
]
