import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  { path: '/users/sign_in', component: () => import('./SignInView.vue'), meta: { open: true, bare: true } },
  { path: '/users/sign_up', component: () => import('./SignUpView.vue'), meta: { open: true, bare: true } },
]
