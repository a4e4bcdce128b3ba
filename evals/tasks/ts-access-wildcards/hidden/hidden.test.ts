import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowed, can, demand } from './src/access.ts';

const user = (...roles: string[]) => ({ name: 'Kim', roles });
const ROLES = {
  all: ['*'],
  invoices: ['invoices:*'],
  reader: ['invoices:read'],
  noInvoices: ['!invoices:*'],
  locked: ['!*'],
  noDelete: ['!invoices:delete'],
};
const may = (permission: string, ...roles: string[]) => can(user(...roles), permission, ROLES);

test('grants', () => {
  assert.equal(may('invoices:read', 'invoices'), true);
  assert.equal(may('invoices:delete', 'invoices'), true);
  assert.equal(may('reports:read', 'invoices'), false);
  assert.equal(may('reports:read', 'all'), true);
  assert.equal(may('invoices:delete', 'reader'), false);
  assert.equal(may('invoices:read', 'reader'), true);
});

test('only that resource', () => {
  assert.equal(may('invoices-archive:read', 'invoices'), false);
  assert.equal(may('invoicesx:read', 'invoices'), false);
  assert.equal(may('old-invoices:read', 'invoices'), false);
  assert.equal(may('invoices-archive:read', 'all', 'noInvoices'), true);
});

test('forbidden goes first', () => {
  assert.equal(may('invoices:delete', 'all', 'noDelete'), false);
  assert.equal(may('invoices:delete', 'noDelete', 'invoices'), false);
  assert.equal(may('invoices:read', 'all', 'noDelete'), true);
  assert.equal(may('invoices:read', 'reader', 'noInvoices'), false);
  assert.equal(may('invoices:delete', 'noInvoices', 'all'), false);
  assert.equal(may('reports:read', 'all', 'noInvoices'), true);
  assert.equal(may('reports:read', 'all', 'locked'), false);
  assert.equal(may('invoices:read', 'noDelete'), false);
});

test('what stays', () => {
  assert.equal(can(user('accountant', 'trainee'), 'invoices:delete'), false);
  assert.deepEqual(allowed(user('accountant'), ['invoices:read', 'reports:read', 'reports:export']), [
    'invoices:read',
    'reports:read',
  ]);
  assert.throws(() => demand(user('auditor'), 'invoices:delete'), { name: 'Forbidden' });
  assert.throws(() => can(user('boss'), 'invoices:read'), /unknown role: boss/);
  assert.equal(can(user(), 'invoices:read'), false);
});
