import type { RouteRecordRaw } from 'vue-router'

const alone = { open: true, bare: true }

export const routes: RouteRecordRaw[] = [
  { path: '/users/sign_in', component: () => import('./SignInView.vue'), meta: alone },
  { path: '/users/sign_up', component: () => import('./SignUpView.vue'), meta: alone },
  { path: '/-/duty', component: () => import('./DutyView.vue'), meta: { bare: true } },
  { path: '/-/password_reset', component: () => import('./ResetPasswordView.vue'), meta: alone },
  { path: '/-/confirmation', component: () => import('./ConfirmEmailView.vue'), meta: alone },
]
