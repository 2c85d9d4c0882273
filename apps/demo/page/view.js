// A small viewer for WebGL: the mouse or a finger turns a mesh; a double click, or Ctrl or Shift and the wheel, zooms.
// Each .view of the page names a file that calls ruga_view(name, parts). It needs no network and no other script.
(function () {
  'use strict';
  var waiting = {};
  window.ruga_view = function (name, parts) { if (waiting[name]) waiting[name](parts); };

  function decode(text, type) {
    var raw = atob(text), bytes = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return new type(bytes.buffer);
  }

  // Normals of corners: the mean of triangles around a vertex that turn less than 45 degrees away.
  function flatten(part) {
    var q = decode(part.points, Uint16Array), t = decode(part.triangles, Uint32Array), n = t.length / 3;
    var faces = new Float32Array(3 * n), sums = new Float32Array(q.length), out = new Float32Array(6 * t.length);
    function at(v, k) { return part.low[k] + q[3 * v + k] * part.step; }
    for (var i = 0; i < n; i++) {
      var a = t[3 * i], e = [], f = [], k;
      for (k = 0; k < 3; k++) { e[k] = at(t[3 * i + 1], k) - at(a, k); f[k] = at(t[3 * i + 2], k) - at(a, k); }
      var c = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
      for (k = 0; k < 3; k++) {
        faces[3 * i + k] = c[k];
        for (var j = 0; j < 3; j++) sums[3 * t[3 * i + j] + k] += c[k];
      }
    }
    for (i = 0; i < t.length; i++) {
      var v = t[i], s = sums.subarray(3 * v, 3 * v + 3), w = faces.subarray(3 * (i / 3 | 0), 3 * (i / 3 | 0) + 3);
      var ls = Math.hypot(s[0], s[1], s[2]) || 1, lw = Math.hypot(w[0], w[1], w[2]) || 1;
      var use = (s[0] * w[0] + s[1] * w[1] + s[2] * w[2]) / (ls * lw) > 0.7 ? s : w, l = use === s ? ls : lw;
      for (k = 0; k < 3; k++) { out[6 * i + k] = at(v, k); out[6 * i + 3 + k] = use[k] / l; }
    }
    return out;
  }

  var vertex = 'attribute vec3 p,n;uniform vec4 turn;uniform vec3 lens;varying vec3 vn,vp;' +
    'vec3 rotate(vec3 v){v=vec3(turn.x*v.x-turn.y*v.z,v.y,turn.y*v.x+turn.x*v.z);' +
    'return vec3(v.x,turn.z*v.y-turn.w*v.z,turn.w*v.y+turn.z*v.z);}' +
    'void main(){vn=rotate(n);vp=rotate(p);float z=lens.y-vp.z;' +
    'gl_Position=vec4(vp.x*lens.x/lens.z,vp.y*lens.x,z*1.0002-0.02,z);}';
  var fragment = 'precision mediump float;varying vec3 vn,vp;uniform vec3 front,back;' +
    'void main(){vec3 n=normalize(vn);vec3 c=front;if(!gl_FrontFacing){n=-n;c=back;}' +
    'float key=max(dot(n,normalize(vec3(-.6,.55,.6))),0.),sky=.5+.5*n.y,rim=pow(1.-max(n.z,0.),3.);' +
    'vec3 l=c*c*(1.05*key+.42*sky+.08)+rim*.12;gl_FragColor=vec4(sqrt(l/(1.+.25*l)),1.);}';

  function program(gl) {
    var p = gl.createProgram();
    [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]].forEach(function (s) {
      var shader = gl.createShader(s[0]);
      gl.shaderSource(shader, s[1]);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(p, shader);
    });
    gl.linkProgram(p);
    gl.useProgram(p);
    return p;
  }

  function start(box, parts) {
    var canvas = document.createElement('canvas');
    var gl = canvas.getContext('webgl', {antialias: true, preserveDrawingBuffer: true});
    if (!gl) { box.remove(); return; }
    box.insertBefore(canvas, box.firstChild);
    var p = program(gl), azimuth = -0.5, elevation = 0.25, zoom = 1, held = null;
    function where(name) { return gl.getUniformLocation(p, name); }
    var low = parts[0].low, size = parts[0].size, radius = 0.5 * Math.hypot(size[0], size[1], size[2]);
    var drawn = parts.map(function (part) {
      var data = flatten(part), buffer = gl.createBuffer();
      for (var i = 0; i < data.length; i += 6)
        for (var k = 0; k < 3; k++) data[i + k] = (data[i + k] - low[k] - 0.5 * size[k]) / radius;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      return {buffer: buffer, count: data.length / 6, front: part.front, back: part.back};
    });
    function draw() {
      var scale = Math.min(window.devicePixelRatio || 1, 2);
      canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
      canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0.894, 0.875, 0.847, 1);
      gl.enable(gl.DEPTH_TEST);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniform4f(where('turn'), Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation));
      gl.uniform3f(where('lens'), 3.2, 3.4 / zoom, canvas.width / canvas.height);
      drawn.forEach(function (part) {
        gl.bindBuffer(gl.ARRAY_BUFFER, part.buffer);
        [['p', 0], ['n', 12]].forEach(function (a) {
          var at = gl.getAttribLocation(p, a[0]);
          gl.enableVertexAttribArray(at);
          gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, a[1]);
        });
        gl.uniform3fv(where('front'), part.front);
        gl.uniform3fv(where('back'), part.back);
        gl.drawArrays(gl.TRIANGLES, 0, part.count);
      });
      if (box.hasAttribute('data-drawn')) return;
      // For tests: the percentage of the view that shows something else than the background.
      var pixels = new Uint8Array(4 * canvas.width * canvas.height), other = 0;
      gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      for (var j = 0; j < pixels.length; j += 4) if (Math.abs(pixels[j] - 228) + Math.abs(pixels[j + 1] - 223) > 8) other++;
      box.setAttribute('data-drawn', (400 * other / pixels.length).toFixed(1));
    }
    canvas.addEventListener('pointerdown', function (e) {
      held = [e.clientX, e.clientY];
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener('pointermove', function (e) {
      if (!held) return;
      azimuth += (e.clientX - held[0]) * 0.01;
      elevation = Math.max(-1.5, Math.min(1.5, elevation + (e.clientY - held[1]) * 0.01));
      held = [e.clientX, e.clientY];
      draw();
    });
    ['pointerup', 'pointercancel'].forEach(function (name) {
      canvas.addEventListener(name, function () { held = null; });
    });
    canvas.addEventListener('wheel', function (e) {
      if (!e.ctrlKey && !e.shiftKey && document.activeElement !== canvas) return;
      zoom = Math.max(0.5, Math.min(4, zoom * Math.exp(-0.002 * e.deltaY)));
      e.preventDefault();
      draw();
    }, {passive: false});
    canvas.addEventListener('dblclick', function () { zoom = zoom > 1.5 ? 1 : 2; draw(); });
    window.addEventListener('resize', draw);
    draw();
  }

  function load(box) {
    var name = box.getAttribute('data-view'), script = document.createElement('script');
    waiting[name] = function (parts) { start(box, parts); };
    script.src = name + '.view.js';
    document.body.appendChild(script);
  }
  var boxes = [].slice.call(document.querySelectorAll('.view'));
  if (!('IntersectionObserver' in window)) { boxes.forEach(load); return; }
  var watch = new IntersectionObserver(function (seen) {
    seen.forEach(function (s) {
      if (!s.isIntersecting) return;
      watch.unobserve(s.target);
      load(s.target);
    });
  }, {rootMargin: '600px'});
  boxes.forEach(function (box) { watch.observe(box); });
})();
